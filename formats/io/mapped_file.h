// A whole regular file, mapped for reading, that may be cut or written to while it is mapped.
//
// A page that lies behind the end of a file that was cut, or that the disk does not give, cannot be
// read: the system sends SIGBUS, which ends a process. Here it reads as zeros instead, and lost()
// says so from then on. Whoever reads through the map asks lost() before results leave the process.
//
// How: the first open() installs a handler for SIGBUS, which finds the address in a table of all
// mappings and puts pages of zeros from there to the mapping's end. Addresses of nobody's go to the
// handler that there was before. The table and the handler are the process's, as signals are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "formats/io/file_stamp.h"
#include "libcore/base/status.h"

namespace warpseq {

class MappedFile {
   public:
    /// So many can be mapped at once in a process.
    static constexpr std::size_t kMostMappings = 1024;

    /// A file without bytes maps to nothing; what is no regular file is refused at once.
    /// Thread-safe.
    static Result<MappedFile> open(const std::filesystem::path& file);
    /// The same of a file that the caller has open, and may close; `file` is its name in messages.
    static Result<MappedFile> of_descriptor(int descriptor, const std::filesystem::path& file);

    MappedFile() = default;
    ~MappedFile();
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;

    /// Returns the content of the file, which changes with the file. It stays readable until the
    /// end of the object, whatever becomes of the file.
    std::span<const std::uint8_t> bytes() const { return bytes_; }

    /// Whether some part could not be read and was taken for zeros. Thread-safe.
    bool lost() const;
    /// Returns the offset of the first byte that was found lost, which is the begin of a page.
    /// Valid only if lost().
    std::uint64_t lost_offset_bytes() const;
    /// Returns the stamp that the file had when it was mapped.
    const FileStamp& stamp() const { return stamp_; }

   private:
    std::span<const std::uint8_t> bytes_;
    FileStamp stamp_;
    std::size_t slot_ = 0;  // in the table; says nothing without bytes
};

}  // namespace warpseq
