// A regular file that is not compressed, read at any place by any thread.
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

/// How a regular file is compressed, by its first bytes; not at all where it is none, or cannot be
/// read.
Compression compression_of_file(const std::filesystem::path& file);

class PlainFile {
   public:
    /// Nothing where it is something else, or cannot be opened: ByteSource
    /// (formats/io/byte_source.h) reads it, or says why not.
    static std::optional<PlainFile> open(const std::filesystem::path& file);

    /// How messages call it.
    const std::string& name() const { return file_.name(); }
    /// Reads bytes from `offset_bytes` on until `buffer` is full or the file ends; returns how
    /// many. Thread-safe.
    Result<std::size_t> read_at(std::uint64_t offset_bytes, std::span<std::uint8_t> buffer) const {
        return file_.read_at(offset_bytes, buffer);
    }
    /// An error where the file was written to since it was opened.
    Status verify_unchanged() const { return file_.verify_unchanged(); }

   private:
    friend Compression compression_of_file(const std::filesystem::path& file);
    /// A regular file, compressed or not.
    static std::optional<PlainFile> open_any(const std::filesystem::path& file, Compression& compression);
    explicit PlainFile(RegularFile file) : file_(std::move(file)) {}

    RegularFile file_;
};

}  // namespace warpseq
