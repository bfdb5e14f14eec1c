// FileIdentity says which thing the name of a file stands for. It may be a file on a disk, a file
// that does not exist yet, or something that is already open, such as /dev/stdout or /dev/fd/63.
// Two names of one thing have the same identity.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "libcore/base/status.h"

namespace warpseq {

struct FileIdentity {
    enum class Kind {
        kAbsent,  // nothing has this name yet
        kRegular,
        kDevice,  // a character device: a terminal, /dev/null
        kPipe,    // or a FIFO
        kSocket,
        kOther,  // a folder or a block device
    };
    Kind kind = Kind::kAbsent;
    /// The device and inode of the file, or of its folder if the file does not exist.
    std::uint64_t device = 0, inode = 0;
    /// The last part of the name, with links resolved, if the file does not exist; else empty.
    std::string absent_name;
    /// The place of a regular file that exists or will exist, with symbolic links resolved. For
    /// anything else, the name as it was given.
    std::filesystem::path resolved;
    /// The open descriptor of this process that the name stands for, or -1 if none. That of
    /// /dev/stdout is 1.
    int descriptor = -1;
    mode_t permissions = 0;

    /// Whether both are the same file, the same place for a file that does not exist yet, or the
    /// same pipe.
    bool is_same(const FileIdentity& other) const {
        return device == other.device && inode == other.inode && absent_name == other.absent_name;
    }
};

/// Returns the identity of the thing that a name stands for, following links. Returns an error if a
/// folder on the way is missing or may not be searched. The error does not contain the file's name.
Result<FileIdentity> identify_file(const std::filesystem::path& file);
/// Returns the identity of an open descriptor, such as 0 for standard input.
Result<FileIdentity> identify_descriptor(int descriptor);

}  // namespace warpseq
