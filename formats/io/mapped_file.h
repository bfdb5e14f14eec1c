// MappedFile: a whole regular file that is mapped for reading. The file may be cut or written to
// while it is mapped.
//
// A page cannot be read if it lies behind the end of a file that was cut, or if the disk does not
// return it. The system then sends SIGBUS, which would end the process. Here the page reads as
// zeros instead, and lost() is true from then on. Code that reads through the map has to check
// lost() before it hands out results.
//
// The first open() installs a handler for SIGBUS. The handler looks the address up in a table of
// all mappings, and puts pages of zeros from there to the mapping's end. Signals for addresses
// outside of all mappings go to the handler that was installed before. The process has only one
// table and one handler, because signals are delivered to the process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "formats/io/file_stamp.h"
#include "libcore/base/status.h"

namespace warpseq {

class MappedFile {
   public:
    /// The maximum number of files that a process can map at the same time.
    static constexpr std::size_t kMostMappings = 1024;

    /// Maps `file`. An empty file maps to no bytes. A file that is not a regular one is an error.
    /// Thread-safe.
    static Result<MappedFile> open(const std::filesystem::path& file);
    /// Maps a file that the caller has open, and may close afterwards. `file` is its name in
    /// messages.
    static Result<MappedFile> of_descriptor(int descriptor, const std::filesystem::path& file);

    /// Handles the signals of lost pages again if something else has taken them since a file was
    /// mapped, as Python's faulthandler does. The other handler gets all other signals. Cheap, and
    /// thread-safe.
    static void keep_handler();

    MappedFile() = default;
    ~MappedFile();
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;

    /// Returns the content of the file, which changes with the file. It stays readable as long as
    /// this object lives, even if the file is cut or removed.
    std::span<const std::uint8_t> bytes() const { return bytes_; }

    /// Whether some part could not be read and was replaced by zeros. Thread-safe.
    bool lost() const;
    /// Returns the offset of the first byte that was found lost, which is the beginning of a page.
    /// Valid only if lost() is true.
    std::uint64_t lost_offset_bytes() const;
    /// Returns the stamp that the file had when it was mapped.
    const FileStamp& stamp() const { return stamp_; }

   private:
    std::span<const std::uint8_t> bytes_;
    FileStamp stamp_;
    std::size_t slot_ = 0;  // index in the table of mappings; has no meaning without bytes
};

}  // namespace warpseq
