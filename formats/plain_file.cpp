#include "formats/plain_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace warpseq {

std::optional<PlainFile> PlainFile::open_any(const std::filesystem::path& file, Compression& compression) {
    compression = Compression::kNone;
    if (file == "-") return std::nullopt;
    // Who writes to a pipe would take opening it for its reader.
    struct stat about {};
    if (::stat(file.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return std::nullopt;
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return std::nullopt;
    PlainFile opened(file.string(), descriptor);
    // Files that the system makes up have no size.
    if (::fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0) return std::nullopt;
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

PlainFile::~PlainFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::size_t> PlainFile::read_at(std::uint64_t offset_bytes, std::span<std::uint8_t> buffer) const {
    std::size_t bytes = 0;
    while (bytes < buffer.size()) {
        const std::uint64_t place = offset_bytes + bytes;
        const ssize_t got =
            ::pread(descriptor_, buffer.data() + bytes, buffer.size() - bytes, static_cast<off_t>(place));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            const int error = errno;
            return Status::io(name_ + ": reading failed at byte " + std::to_string(place) + ": " +
                              std::strerror(error));
        }
        if (got == 0) break;
        bytes += static_cast<std::size_t>(got);
    }
    return bytes;
}

}  // namespace warpseq
