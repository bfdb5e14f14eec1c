#include "formats/io/plain_file.h"

#include <array>

namespace warpseq {

std::optional<PlainFile> PlainFile::open_any(const std::filesystem::path& file, Compression& compression) {
    compression = Compression::kNone;
    if (file == "-") return std::nullopt;
    auto regular = RegularFile::open(file);
    // Files that the system generates, such as those in /proc, have no size.
    if (!regular.ok() || regular->size_bytes() == 0) return std::nullopt;
    PlainFile opened(*std::move(regular));
    std::array<std::uint8_t, 16> start{};
    const auto bytes = opened.read_at(0, start);
    if (!bytes.ok()) return std::nullopt;
    compression = compression_of(std::span(start).first(*bytes));
    return opened;
}

std::optional<PlainFile> PlainFile::open(const std::filesystem::path& file) {
    Compression compression;
    auto opened = open_any(file, compression);
    if (compression != Compression::kNone) return std::nullopt;
    return opened;
}

Compression compression_of_file(const std::filesystem::path& file) {
    Compression compression;
    PlainFile::open_any(file, compression);
    return compression;
}

}  // namespace warpseq
