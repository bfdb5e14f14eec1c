// File identities. Links are followed one at a time, because the last one may lead to
// /proc/self/fd/N. The system would go on from there to the file that descriptor N has open, but
// the caller asked for the descriptor and not for a name of that file.
#include "formats/io/file_identity.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace warpseq {

namespace {

/// The number of links that Linux follows.
constexpr int kMostLinks = 40;

FileIdentity identity_of(const struct stat& info) {
    using Kind = FileIdentity::Kind;
    FileIdentity identity;
    identity.kind = S_ISREG(info.st_mode)    ? Kind::kRegular
                    : S_ISCHR(info.st_mode)  ? Kind::kDevice
                    : S_ISFIFO(info.st_mode) ? Kind::kPipe
                    : S_ISSOCK(info.st_mode) ? Kind::kSocket
                                             : Kind::kOther;
    identity.device = info.st_dev;
    identity.inode = info.st_ino;
    identity.permissions = info.st_mode & 07777;
    return identity;
}

/// Returns N if the path is /proc/PID/fd/N and PID is this process.
std::optional<int> own_descriptor(const std::filesystem::path& folder, const std::filesystem::path& name) {
    if (folder.filename() != "fd" || !folder.string().starts_with("/proc/" + std::to_string(getpid()) + "/")) {
        return std::nullopt;
    }
    const std::string digits = name.string();
    int number = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size() || number < 0) return std::nullopt;
    return number;
}

bool has_name(const std::filesystem::path& file) {
    const std::filesystem::path name = file.filename();
    return !name.empty() && name != "." && name != "..";
}

}  // namespace

Result<FileIdentity> identify_descriptor(int descriptor) {
    struct stat info {};
    if (fstat(descriptor, &info) != 0) return Status::io(std::strerror(errno));
    FileIdentity identity = identity_of(info);
    identity.descriptor = descriptor;
    return identity;
}

Result<FileIdentity> identify_file(const std::filesystem::path& file) {
    if (file.empty()) return Status::io(std::strerror(ENOENT));
    struct stat reached {};
    const bool exists = stat(file.c_str(), &reached) == 0;
    if (!exists && errno != ENOENT) return Status::io(std::strerror(errno));
    std::filesystem::path place = file;
    for (int links = 0; links < kMostLinks && has_name(place); ++links) {
        const std::filesystem::path parent = place.parent_path().empty() ? "." : place.parent_path();
        std::error_code error;
        const std::filesystem::path folder = std::filesystem::canonical(parent, error);
        if (error) return Status::io(std::strerror(error.value()));
        place = folder / place.filename();
        if (const auto descriptor = own_descriptor(folder, place.filename())) {
            auto identity = identify_descriptor(*descriptor);
            if (identity.ok()) identity->resolved = file;
            return identity;
        }
        struct stat info {};
        if (lstat(place.c_str(), &info) != 0) {
            // Links in /proc need not lead to an existing name.
            if (errno != ENOENT || exists) break;
            if (stat(folder.c_str(), &info) != 0) break;
            FileIdentity identity;
            identity.device = info.st_dev;
            identity.inode = info.st_ino;
            identity.absent_name = place.filename().string();
            identity.resolved = place;
            return identity;
        }
        if (!S_ISLNK(info.st_mode)) {
            FileIdentity identity = identity_of(info);
            identity.resolved = place;
            return identity;
        }
        const std::filesystem::path target = std::filesystem::read_symlink(place, error);
        if (error) return Status::io(std::strerror(error.value()));
        place = target.is_absolute() ? target : folder / target;
    }
    if (!exists) return Status::io(std::strerror(ENOENT));
    FileIdentity identity = identity_of(reached);
    identity.resolved = file;
    return identity;
}

}  // namespace warpseq
