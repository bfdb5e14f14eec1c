#include "formats/io/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace warpseq {

Result<RegularFile> RegularFile::open(const std::filesystem::path& file) {
    // A pipe is not opened, because the process that writes to it would take this process for its
    // reader.
    struct stat about {};
    if (::stat(file.c_str(), &about) != 0) return Status::io(file.string() + ": cannot open: " + std::strerror(errno));
    const auto no_file = [&] { return Status::io(file.string() + ": not a regular file"); };
    if (!S_ISREG(about.st_mode)) return no_file();
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return Status::io(file.string() + ": cannot open: " + std::strerror(errno));
    RegularFile opened(file.string(), descriptor, {});
    const auto stamp = FileStamp::of(descriptor);
    if (!stamp) return no_file();
    opened.stamp_ = *stamp;
    return opened;
}

RegularFile::~RegularFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

RegularFile& RegularFile::operator=(RegularFile&& other) noexcept {
    std::swap(name_, other.name_);
    std::swap(stamp_, other.stamp_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

RegularFile::Part RegularFile::read_some(std::uint64_t offset_bytes, std::span<std::uint8_t> buffer) const {
    for (;;) {
        const ssize_t got = ::pread(descriptor_, buffer.data(), buffer.size(), static_cast<off_t>(offset_bytes));
        if (got >= 0) return {static_cast<std::size_t>(got), 0};
        if (errno != EINTR) return {0, errno};
    }
}

Result<std::size_t> RegularFile::read_at(std::uint64_t offset_bytes, std::span<std::uint8_t> buffer) const {
    std::size_t bytes = 0;
    while (bytes < buffer.size()) {
        const std::uint64_t place = offset_bytes + bytes;
        const Part part = read_some(place, buffer.subspan(bytes));
        if (part.error != 0) {
            return Status::io(name_ + ": reading failed at byte " + std::to_string(place) + ": " +
                              std::strerror(part.error));
        }
        if (part.bytes == 0) break;
        bytes += part.bytes;
    }
    return bytes;
}

Status RegularFile::verify_unchanged() const {
    if (FileStamp::of(descriptor_) == stamp_) return {};
    return Status::io(name_ + ": " + kChangedWhileRead);
}

}  // namespace warpseq
