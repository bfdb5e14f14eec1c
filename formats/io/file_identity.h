// What the name of a file stands for: a file on a disk, one that does not exist yet, or something
// that is already open, such as /dev/stdout or /dev/fd/63. Two names of one thing have the same
// identity.
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
        kOther,  // a folder, a block device
    };
    Kind kind = Kind::kAbsent;
    /// Of the file; of its folder, where it does not exist.
    std::uint64_t device = 0, inode = 0;
    /// The last part of the name where the file does not exist, links resolved; else empty.
    std::string absent_name;
    /// Where a regular file stands, or will: symbolic links resolved. Else the name as it was
    /// given.
    std::filesystem::path resolved;
    /// The open descriptor of this process that the name stands for; -1: none. /dev/stdout is 1.
    int descriptor = -1;
    mode_t permissions = 0;

    /// The same file, the same place for a file to be, or the same pipe.
    bool is_same(const FileIdentity& other) const {
        return device == other.device && inode == other.inode && absent_name == other.absent_name;
    }
};

/// Follows links. An error where a folder on the way is missing or closed to us; it has no file's
/// name yet.
Result<FileIdentity> identify_file(const std::filesystem::path& file);
/// Of an open descriptor, such as 0 for standard input.
Result<FileIdentity> identify_descriptor(int descriptor);

}  // namespace warpseq
