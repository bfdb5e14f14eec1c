// RegularFile: a regular file that is open for reading. Any thread can read it at any offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include "formats/io/file_stamp.h"
#include "libcore/base/status.h"

namespace warpseq {

class RegularFile {
   public:
    /// Opens a file. Returns an error that names it if it does not exist or is not a regular file.
    /// A pipe is refused without opening it.
    static Result<RegularFile> open(const std::filesystem::path& file);
    ~RegularFile();
    RegularFile(RegularFile&& other) noexcept
        : name_(std::move(other.name_)), stamp_(other.stamp_), descriptor_(std::exchange(other.descriptor_, -1)) {}
    RegularFile& operator=(RegularFile&& other) noexcept;

    /// Returns the file's name in messages.
    const std::string& name() const { return name_; }
    /// Returns the size that the file had when it was opened.
    std::uint64_t size_bytes() const { return stamp_.size_bytes; }

    /// The result of one read by the system. It has the number of bytes that were read into the
    /// front of the buffer, or the errno of an error. If both are 0, the file has ended.
    struct Part {
        std::size_t bytes = 0;
        int error = 0;
    };
    /// Reads once from `offset_bytes` on. May fill only a part of `buffer`. Thread-safe.
    Part read_some(std::uint64_t offset_bytes, std::span<std::uint8_t> buffer) const;
    /// Reads until `buffer` is full or the file ends. Returns how many bytes were read.
    Result<std::size_t> read_at(std::uint64_t offset_bytes, std::span<std::uint8_t> buffer) const;

    /// Returns an error if the file was written to since it was opened, whether it became longer or
    /// shorter or was changed in place.
    Status verify_unchanged() const;

   private:
    RegularFile(std::string name, int descriptor, const FileStamp& stamp)
        : name_(std::move(name)), stamp_(stamp), descriptor_(descriptor) {}

    std::string name_;
    FileStamp stamp_;
    int descriptor_;
};

}  // namespace warpseq
