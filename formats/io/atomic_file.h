// AtomicFile: an output file that appears whole or not at all.
//
// The content is written to a file without a name in the folder of its target, or to one with a
// temporary name if the file system has no files without names. commit() syncs the content and
// gives it its final name. If the process is killed at any moment, nothing half-written is left
// under the final name. An existing file stays until the new one replaces it, and the new one takes
// over its permissions. A link cannot replace a file, so the new file has a temporary name for the
// moment of replacing. A kill in that moment may leave the temporary name behind.
//
// ExistingFile::kWriteInto serves programs whose callers create a file first and read it through
// their own descriptor. A file that exists keeps its inode, mode, owner and links. The content is
// kept elsewhere until commit() copies it there. A failure before the copy leaves the file as it
// was. A kill or a full disk during the copy may leave only a part of the new content.
//
// A target that is not a regular file (a pipe, a FIFO, a terminal, /dev/null) is a stream. Each
// append() writes to it directly, and it is never replaced. /dev/stdout, /dev/fd/N and the like are
// streams too, even if they were redirected to a regular file. The open descriptor is written to,
// so `-o /dev/stdout >> file` appends.
//
// formats/io holds the code that handles files as bytes, without regard to their format: reading,
// decompression, atomic output, checksums, packets and sorting on disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "libcore/base/status.h"

namespace warpseq {

class TemporaryFile;

/// The treatment of a regular file that already has the name of an output.
enum class ExistingFile {
    kRefuse,     // the existing file is an error
    kReplace,    // the finished output takes the file's name
    kWriteInto,  // the file stays, and the finished output becomes its content
};

class AtomicFile {
   public:
    /// The way in which an unfinished file is kept. Only tests give another value than the default.
    enum class Unfinished { kWithoutName, kWithTemporaryName };

    /// Opens `file` for writing. Opening a FIFO waits until another process opens it for reading.
    /// Errors name the file.
    static Result<AtomicFile> create(const std::filesystem::path& file, ExistingFile existing,
                                     Unfinished unfinished = Unfinished::kWithoutName);
    /// Does the same with a choice of two treatments: kReplace if `replace` is true, else kRefuse.
    static Result<AtomicFile> create(const std::filesystem::path& file, bool replace,
                                     Unfinished unfinished = Unfinished::kWithoutName) {
        return create(file, replace ? ExistingFile::kReplace : ExistingFile::kRefuse, unfinished);
    }
    /// Returns an AtomicFile that writes to an open descriptor, such as 1 for standard output, as
    /// to a stream. `shown` is the name of the descriptor in messages.
    static Result<AtomicFile> of_descriptor(int descriptor, const std::string& shown);
    /// Returns an AtomicFile that writes to an empty temporary file of the caller, at any offset.
    /// The file stays unnamed, and commit() does nothing.
    static Result<AtomicFile> of_temporary(const TemporaryFile& file);
    /// Discards the content unless commit() has succeeded. Bytes written to a stream stay.
    ~AtomicFile();
    AtomicFile(AtomicFile&&) noexcept;
    AtomicFile& operator=(AtomicFile&&) noexcept;

    /// Appends bytes. Errors, such as a full disk, name the final file.
    Status append(std::span<const std::uint8_t> bytes);
    /// Writes at any offset. The file grows if needed. Thread-safe for ranges that do not overlap.
    /// Must not be called if can_seek() is false.
    Status write_at(std::uint64_t offset_bytes, std::span<const std::uint8_t> bytes);
    /// Asks the system to start writing bytes to the disk that will not change any more, so that
    /// commit() waits less. Thread-safe.
    void start_write_back(std::uint64_t offset_bytes, std::uint64_t bytes) const;
    /// Returns the size of the content, which is the offset at which append() continues.
    std::uint64_t size_bytes() const;
    /// Whether write_at() works. It does not on pipes, terminals and /dev/stdout, which take only
    /// append().
    bool can_seek() const;
    bool is_terminal() const;
    /// Changes the final name to another one in the same folder. Must not be called for a stream or
    /// for an existing file that is written into.
    void set_name(const std::string& name);
    /// Syncs the content, so that commit() takes only a moment. Only set_name() and commit() may be
    /// called afterwards. Does nothing for a stream.
    Status sync() const;
    /// Syncs the content, gives it its name and syncs the folder. For an existing file that is
    /// written into, copies the content there and syncs it. No other function may be called
    /// afterwards. An error from the system is ignored if the file has its name all the same.
    /// Servers of network file systems return such errors when a request arrives twice.
    Status commit();
    /// Returns the descriptor of the content, which is open as long as this object lives. It can be
    /// read and written; that of a stream can only be written.
    int descriptor() const;

   private:
    struct State;
    explicit AtomicFile(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
