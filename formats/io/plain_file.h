// PlainFile: a regular file that is not compressed. Any thread can read it at any offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "formats/io/decoder.h"
#include "formats/io/regular_file.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Returns the compression of a regular file, which its first bytes show. Returns kNone if there is
/// no regular file, or if it cannot be read.
Compression compression_of_file(const std::filesystem::path& file);

class PlainFile {
   public:
    /// Opens a regular file that is not compressed. Returns nothing for anything else, and if the
    /// file cannot be opened. ByteSource (formats/io/byte_source.h) reads such a file, or returns
    /// the error.
    static std::optional<PlainFile> open(const std::filesystem::path& file);

    /// Returns the file's name in messages.
    const std::string& name() const { return file_.name(); }
    /// Reads bytes from `offset_bytes` on until `buffer` is full or the file ends. Returns how many
    /// were read. Thread-safe.
    Result<std::size_t> read_at(std::uint64_t offset_bytes, std::span<std::uint8_t> buffer) const {
        return file_.read_at(offset_bytes, buffer);
    }
    /// Returns an error if the file was written to since it was opened.
    Status verify_unchanged() const { return file_.verify_unchanged(); }

   private:
    friend Compression compression_of_file(const std::filesystem::path& file);
    /// Opens a regular file, compressed or not.
    static std::optional<PlainFile> open_any(const std::filesystem::path& file, Compression& compression);
    explicit PlainFile(RegularFile file) : file_(std::move(file)) {}

    RegularFile file_;
};

}  // namespace warpseq
