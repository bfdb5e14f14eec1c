#include "formats/io/file_stamp.h"

#include <array>
#include <cstdio>

namespace warpseq {

FileStamp FileStamp::of(const struct stat& info) {
    return {info.st_dev, info.st_ino, static_cast<std::uint64_t>(info.st_size), info.st_mtim.tv_sec,
            info.st_mtim.tv_nsec};
}

std::optional<FileStamp> FileStamp::of(const std::filesystem::path& file) {
    struct stat info {};
    if (stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    return of(info);
}

bool FileStamp::operator==(const FileStamp& other) const {
    return is_same_file(other) && size_bytes == other.size_bytes && modified_seconds == other.modified_seconds &&
           modified_nanoseconds == other.modified_nanoseconds;
}

std::optional<FileStamp> FileStamp::of(int descriptor) {
    struct stat info {};
    if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    return of(info);
}

std::string time_text(const timespec& time) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%lld.%09lld", static_cast<long long>(time.tv_sec),
                  static_cast<long long>(time.tv_nsec));
    return text.data();
}

}  // namespace warpseq
