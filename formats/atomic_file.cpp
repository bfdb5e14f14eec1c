// Output that appears whole or not at all. The usual way is a file without a name (O_TMPFILE) in the target's folder,
// which the system removes by itself when the process dies; it is given a name when it is complete. Where the file
// system has no such files, a named temporary file stands in, removed by the destructor.
#include "formats/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace warpseq {

namespace {

std::string reason(int error) { return std::strerror(error); }

/// A name beside `file` that nobody else uses: the process's number and a count.
std::filesystem::path temporary_name(const std::filesystem::path& file) {
    static std::atomic<unsigned> count{0};
    std::filesystem::path name = file.parent_path() / ".";
    name += file.filename();
    name += ".part-";
    name += std::to_string(getpid());
    name += "-";
    name += std::to_string(count.fetch_add(1));
    return name;
}

Status write_error(const std::filesystem::path& file, int error) {
    std::string advice;
    if (error == ENOSPC || error == EDQUOT) advice = "; free some space or choose another place";
    if (error == EFBIG) advice = "; the limit on the size of files has been reached";
    return Status::io(file.string() + ": cannot write: " + reason(error) + advice);
}

}  // namespace

struct AtomicFile::State {
    std::filesystem::path target;     // where it will stand, symbolic links resolved
    std::filesystem::path shown;      // as the user wrote it, for messages
    std::filesystem::path temporary;  // empty while the file has no name
    int descriptor = -1;
    bool replace = false;
    bool device = false;  // a character device: written directly
    bool committed = false;
    std::atomic<std::uint64_t> size_bytes{0};

    ~State() {
        if (descriptor >= 0) close(descriptor);
        if (!committed && !temporary.empty()) unlink(temporary.c_str());
    }
};

AtomicFile::AtomicFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
AtomicFile::~AtomicFile() = default;
AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;
AtomicFile& AtomicFile::operator=(AtomicFile&&) noexcept = default;

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& file, bool replace) {
    auto state = std::make_unique<State>();
    state->shown = file;
    state->target = file;
    state->replace = replace;
    if (file.empty() || file.filename().empty()) {
        return Status::io("'" + file.string() + "': cannot write: it is not the name of a file");
    }
    struct stat info {};
    if (stat(file.c_str(), &info) == 0) {
        if (S_ISCHR(info.st_mode)) {
            state->device = true;
            state->descriptor = open(file.c_str(), O_WRONLY | O_CLOEXEC);
            if (state->descriptor < 0) return Status::io(file.string() + ": cannot open for writing: " + reason(errno));
            return AtomicFile(std::move(state));
        }
        if (!replace) return Status::io(file.string() + ": exists already; --force replaces it");
        if (!S_ISREG(info.st_mode)) {
            return Status::io(file.string() + ": cannot replace: it is not a regular file");
        }
        std::error_code ignored;
        if (auto resolved = std::filesystem::canonical(file, ignored); !ignored) state->target = std::move(resolved);
    }
    std::filesystem::path folder = state->target.parent_path();
    if (folder.empty()) folder = ".";
    state->descriptor = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (state->descriptor < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL || errno == ENOENT)) {
        // ENOENT is both "no such folder" and an old kernel's answer; the second open tells them apart.
        const auto name = temporary_name(state->target);
        state->descriptor = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (state->descriptor >= 0) state->temporary = name;
    }
    if (state->descriptor < 0) return Status::io(file.string() + ": cannot create: " + reason(errno));
    return AtomicFile(std::move(state));
}

Status AtomicFile::append(std::span<const std::uint8_t> bytes) {
    if (!state_->device) return write_at(state_->size_bytes.load(), bytes);
    while (!bytes.empty()) {
        const ssize_t written = write(state_->descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return write_error(state_->shown, errno);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        state_->size_bytes += static_cast<std::uint64_t>(written);
    }
    return {};
}

Status AtomicFile::write_at(std::uint64_t offset_bytes, std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t written =
            pwrite(state_->descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset_bytes));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return write_error(state_->shown, errno);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        offset_bytes += static_cast<std::uint64_t>(written);
        std::uint64_t size = state_->size_bytes.load();
        while (size < offset_bytes && !state_->size_bytes.compare_exchange_weak(size, offset_bytes)) {
        }
    }
    return {};
}

std::uint64_t AtomicFile::size_bytes() const { return state_->size_bytes.load(); }

Status AtomicFile::commit() {
    State& state = *state_;
    if (state.device) {
        state.committed = true;
        return {};
    }
    if (fsync(state.descriptor) != 0) return write_error(state.shown, errno);
    if (state.temporary.empty()) {
        const std::string open_file = "/proc/self/fd/" + std::to_string(state.descriptor);
        // A link never replaces, so without `replace` it goes to the final name at once: whoever created that name in
        // the meantime keeps his file.
        const auto name = state.replace ? temporary_name(state.target) : state.target;
        if (linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
            if (errno == EEXIST) return Status::io(state.shown.string() + ": exists already; --force replaces it");
            return Status::io(state.shown.string() + ": cannot name the finished file: " + reason(errno));
        }
        if (state.replace) state.temporary = name;
    }
    if (!state.temporary.empty()) {
        if (!state.replace && link(state.temporary.c_str(), state.target.c_str()) == 0) {
            unlink(state.temporary.c_str());
        } else if (!state.replace && errno == EEXIST) {
            return Status::io(state.shown.string() + ": exists already; --force replaces it");
        } else if (rename(state.temporary.c_str(), state.target.c_str()) != 0) {
            return Status::io(state.shown.string() + ": cannot rename the finished file: " + reason(errno));
        }
    }
    state.committed = true;
    std::filesystem::path folder = state.target.parent_path();
    if (folder.empty()) folder = ".";
    const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        // The name is there either way; a file system that cannot sync folders is no reason to fail.
        (void)fsync(descriptor);
        close(descriptor);
    }
    return {};
}

}  // namespace warpseq
