// TemporaryFile: a file without a name. If the file system has no such files, a file with a name is
// made, and the name is removed at once.
#include "formats/io/temporary_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "formats/io/unfinished_names.h"

namespace warpseq {
namespace {

/// Moves an open descriptor away from the numbers of the standard streams. If these are closed,
/// other code may still write to them. Returns a negative number, with errno, if this fails.
int above_standard_streams(int descriptor) {
    constexpr int kFirst = 3;
    if (descriptor < 0 || descriptor >= kFirst) return descriptor;
    const int above = fcntl(descriptor, F_DUPFD_CLOEXEC, kFirst);
    const int error = errno;
    close(descriptor);
    errno = error;
    return above;
}

}  // namespace

Result<TemporaryFile> TemporaryFile::create(const std::filesystem::path& folder) {
    TemporaryFile file;
    file.folder_ = folder.empty() ? "." : folder;
    file.descriptor_ = above_standard_streams(open(file.folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    int error = errno;
    if (file.descriptor_ < 0 && (error == EOPNOTSUPP || error == EISDIR || error == EINVAL || error == ENOENT)) {
        const int in = open(file.folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
        error = errno;
        if (in >= 0) {
            auto name = UnfinishedName::choose(in, "warpseq");  // removed at the end of this block
            if (!name.ok()) return name.status();
            file.descriptor_ =
                above_standard_streams(openat(in, name->c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
            error = errno;
            name->made();
        }
        close(in);
    }
    if (file.descriptor_ < 0) {
        return Status::io(file.folder_.string() + ": cannot create a temporary file here: " + std::strerror(error) +
                          "; set the environment variable TMPDIR to another folder, or allow more memory");
    }
    return file;
}

Result<TemporaryFile> TemporaryFile::create_in_memory() {
    TemporaryFile file;
    file.folder_ = "memory";
    file.descriptor_ = above_standard_streams(memfd_create("warpseq", MFD_CLOEXEC));
    if (file.descriptor_ < 0) return Status::io(std::string("cannot create a file in memory: ") + std::strerror(errno));
    return file;
}

TemporaryFile::~TemporaryFile() {
    if (descriptor_ >= 0) close(descriptor_);
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      size_bytes_(std::exchange(other.size_bytes_, 0)),
      folder_(std::move(other.folder_)) {}

TemporaryFile& TemporaryFile::operator=(TemporaryFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(size_bytes_, other.size_bytes_);
    std::swap(folder_, other.folder_);
    return *this;
}

Status TemporaryFile::append(std::span<const std::uint8_t> bytes) { return write_at(reserve(bytes.size()), bytes); }

std::uint64_t TemporaryFile::reserve(std::uint64_t bytes) { return std::exchange(size_bytes_, size_bytes_ + bytes); }

Status TemporaryFile::write_at(std::uint64_t offset_bytes, std::span<const std::uint8_t> bytes) const {
    while (!bytes.empty()) {
        const ssize_t written = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset_bytes));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            return Status::io(folder_.string() + ": cannot write a temporary file here: " + std::strerror(errno) +
                              "; set the environment variable TMPDIR to another folder");
        }
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        offset_bytes += static_cast<std::uint64_t>(written);
    }
    return {};
}

Status TemporaryFile::read_at(std::uint64_t offset_bytes, std::span<std::uint8_t> bytes) const {
    while (!bytes.empty()) {
        const ssize_t got = pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset_bytes));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            return Status::io(folder_.string() + ": cannot read a temporary file back: " +
                              (got < 0 ? std::strerror(errno) : "it ends early"));
        }
        bytes = bytes.subspan(static_cast<std::size_t>(got));
        offset_bytes += static_cast<std::uint64_t>(got);
    }
    return {};
}

}  // namespace warpseq
