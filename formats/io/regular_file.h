// A regular file that is open for reading, at any place, by any thread.
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
    /// An error where there is none of that name, or something else; a pipe is not opened.
    static Result<RegularFile> open(const std::filesystem::path& file);
    ~RegularFile();
    RegularFile(RegularFile&& other) noexcept
        : name_(std::move(other.name_)), stamp_(other.stamp_), descriptor_(std::exchange(other.descriptor_, -1)) {}
    RegularFile& operator=(RegularFile&& other) noexcept;

    /// Returns the file's name in messages.
    const std::string& name() const { return name_; }
    /// Returns the size of the file when it was opened.
    std::uint64_t size_bytes() const { return stamp_.size_bytes; }

    /// The result of one reading call of the system: bytes at the front of the buffer, or the
    /// number of an error. If both are 0 the file has ended.
    struct Part {
        std::size_t bytes = 0;
        int error = 0;
    };
    Part read_some(std::uint64_t offset_bytes, std::span<std::uint8_t> buffer) const;
    /// Reads until `buffer` is full or the file ends; returns how many bytes.
    Result<std::size_t> read_at(std::uint64_t offset_bytes, std::span<std::uint8_t> buffer) const;

    /// An error where the file was written to since it was opened, be it longer, shorter, or
    /// changed in place.
    Status verify_unchanged() const;

   private:
    RegularFile(std::string name, int descriptor, const FileStamp& stamp)
        : name_(std::move(name)), stamp_(stamp), descriptor_(descriptor) {}

    std::string name_;
    FileStamp stamp_;
    int descriptor_;
};

}  // namespace warpseq
