// AtomicFile. It usually writes to a file without a name (O_TMPFILE) in the target's folder, and
// names it when it is complete. The system removes such a file by itself if the process dies. If
// the file system has no such files, a temporary file with a name is used instead. The destructor
// or a signal handler removes it (formats/io/unfinished_names.h).
#include "formats/io/atomic_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "formats/io/file_identity.h"
#include "formats/io/temporary_file.h"
#include "formats/io/unfinished_names.h"
#include "libcore/base/stop_scope.h"

namespace warpseq {

namespace {

/// The time between looks at the stop token of a thread that waits for the reader of a pipe.
constexpr std::chrono::duration<int, std::milli> kBetweenLooks{10};

std::string reason(int error) { return std::strerror(error); }

Status write_error(const std::string& shown, int error) {
    std::string advice;
    if (error == ENOSPC || error == EDQUOT) advice = "; free some space or choose another place";
    if (error == EFBIG) advice = "; the limit on the size of files has been reached";
    return Status::io(shown + ": cannot write: " + reason(error) + advice).with(Advice::kOtherOutput);
}

Status exists_already(const std::string& shown) {
    return Status::io(shown + ": exists already").with(Advice::kReplace);
}

/// Waits until a non-blocking descriptor takes more bytes, or for a moment if a stop may come.
Status wait_until_writable(int descriptor) {
    const std::stop_token stop = StopScope::current();
    if (stop.stop_requested()) return Status::interrupted();
    pollfd wanted{descriptor, POLLOUT, 0};
    poll(&wanted, 1, stop.stop_possible() ? kBetweenLooks.count() : -1);
    return {};
}

/// Gives a finished file the permissions of the one that it replaces: mode, group and owner as far
/// as this process may, and access control list. `from` may be open with O_PATH only.
void keep_permissions(int from, int to) {
    struct stat old {};
    if (fstat(from, &old) != 0) return;
    mode_t mode = old.st_mode & 0777;
    const auto nobody_new = static_cast<uid_t>(-1);
    if (fchown(to, old.st_uid, old.st_gid) != 0 && fchown(to, nobody_new, old.st_gid) != 0) {
        // The file keeps this process's group, which gets no more rights than all others.
        mode = (mode & ~static_cast<mode_t>(070)) | ((mode & 07) << 3 & mode);
    }
    (void)fchmod(to, mode);
    constexpr const char* kAccessControlList = "system.posix_acl_access";
    std::array<char, 4096> list{};
    const std::string from_name = "/proc/self/fd/" + std::to_string(from);
    const ssize_t bytes = getxattr(from_name.c_str(), kAccessControlList, list.data(), list.size());
    if (bytes > 0) (void)fsetxattr(to, kAccessControlList, list.data(), static_cast<std::size_t>(bytes), 0);
}

class Descriptor {
   public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) close(number_);
    }
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    int get() const { return number_; }
    bool is_open() const { return number_ >= 0; }

   private:
    int number_ = -1;
};

/// Opens a device or a pipe. If the work of this thread can be stopped, waiting for the reader of a
/// FIFO ends with a stop, and writes to the FIFO return EAGAIN if it is full.
Status open_for_appending(const std::filesystem::path& file, bool is_pipe, Descriptor& opened) {
    constexpr int kFlags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
    const std::stop_token stop = StopScope::current();
    if (!is_pipe || !stop.stop_possible()) {
        opened = Descriptor(open(file.c_str(), kFlags));
        return {};
    }
    for (;;) {
        opened = Descriptor(open(file.c_str(), kFlags | O_NONBLOCK));
        if (opened.is_open() || errno != ENXIO) return {};
        if (stop.stop_requested()) return Status::interrupted();
        std::this_thread::sleep_for(kBetweenLooks);
    }
}

/// Opens a place for content that will be copied into an existing file. It is a temporary file in
/// the same folder, or in the folder of temporary files if the first one is not writable, or in
/// memory.
Result<TemporaryFile> create_beside(const std::filesystem::path& file) {
    auto beside = TemporaryFile::create(file.parent_path());
    if (beside.ok()) return beside;
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    if (!error) {
        auto elsewhere = TemporaryFile::create(folder);
        if (elsewhere.ok()) return elsewhere;
    }
    return TemporaryFile::create_in_memory();
}

}  // namespace

struct AtomicFile::State {
    std::string shown;    // the name as the user wrote it, for messages
    Descriptor folder;    // the target's folder; not open for a stream or for an existing file that is written into
    Descriptor existing;  // the existing file that commit() copies the content into
    std::string name;     // the target's name within the folder, symbolic links resolved
    UnfinishedName temporary;
    Descriptor content;
    bool replace = false;
    bool can_seek = true;
    bool unnamed = false;  // whether the file stays without a name
    std::atomic<std::uint64_t> size_bytes{0};

    bool is_direct() const { return !folder.is_open() && !existing.is_open() && !unnamed; }
    bool is_named(const char* as) const;
    int done(int result, const char* as) const;
    int move_without_replacing();
    Status name_it();
    Status write_into_existing() const;
};

AtomicFile::AtomicFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
AtomicFile::~AtomicFile() = default;
AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;
AtomicFile& AtomicFile::operator=(AtomicFile&&) noexcept = default;

Result<AtomicFile> AtomicFile::of_descriptor(int descriptor, const std::string& shown) {
    const int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
        return Status::io(shown + ": cannot write: " + (flags < 0 ? reason(EBADF) : "it is open for reading only"));
    }
    auto state = std::make_unique<State>();
    state->shown = shown;
    state->can_seek = false;
    state->content = Descriptor(fcntl(descriptor, F_DUPFD_CLOEXEC, 3));
    if (!state->content.is_open()) return Status::io(shown + ": cannot open for writing: " + reason(errno));
    return AtomicFile(std::move(state));
}

Result<AtomicFile> AtomicFile::of_temporary(const TemporaryFile& file) {
    auto state = std::make_unique<State>();
    state->shown = "a temporary file in " + file.folder().string();
    state->unnamed = true;
    state->content = Descriptor(fcntl(file.descriptor(), F_DUPFD_CLOEXEC, 3));
    if (!state->content.is_open()) return Status::io(state->shown + ": cannot open for writing: " + reason(errno));
    return AtomicFile(std::move(state));
}

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& file, ExistingFile existing, Unfinished unfinished) {
    const bool replace = existing != ExistingFile::kRefuse;
    using Kind = FileIdentity::Kind;
    const std::string shown = file.string();
    if (file.empty() || file.filename().empty()) {
        return Status::io("'" + shown + "': cannot write: it is not the name of a file");
    }
    const auto place = identify_file(file);
    if (!place.ok()) return Status::io(shown + ": cannot create: " + place.status().message());
    if (place->descriptor >= 0) return of_descriptor(place->descriptor, shown);
    auto state = std::make_unique<State>();
    state->shown = shown;
    state->replace = replace;
    if (place->kind == Kind::kDevice || place->kind == Kind::kPipe || place->kind == Kind::kSocket) {
        WARPSEQ_TRY(open_for_appending(file, place->kind == Kind::kPipe, state->content));
        if (!state->content.is_open()) return Status::io(shown + ": cannot open for writing: " + reason(errno));
        state->can_seek = lseek(state->content.get(), 0, SEEK_CUR) == 0;
        return AtomicFile(std::move(state));
    }
    if (place->kind != Kind::kAbsent && !replace) return exists_already(shown);
    if (place->kind == Kind::kOther) return Status::io(shown + ": cannot replace: it is not a regular file");
    if (place->kind == Kind::kRegular && existing == ExistingFile::kWriteInto) {
        state->existing = Descriptor(open(place->resolved.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
        if (!state->existing.is_open()) return Status::io(shown + ": cannot open for writing: " + reason(errno));
        const auto beside = create_beside(place->resolved);
        if (!beside.ok()) return beside.status();
        state->content = Descriptor(fcntl(beside->descriptor(), F_DUPFD_CLOEXEC, 3));
        if (!state->content.is_open()) return Status::io(shown + ": cannot open for writing: " + reason(errno));
        return AtomicFile(std::move(state));
    }
    state->name = place->resolved.filename().string();
    state->folder = Descriptor(open(place->resolved.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!state->folder.is_open()) {
        // The folder may be writable but not readable.
        state->folder = Descriptor(open(place->resolved.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    }
    if (!state->folder.is_open()) return Status::io(shown + ": cannot create: " + reason(errno));
    struct stat info {};
    if (fstatat(state->folder.get(), state->name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 && errno != ENOENT) {
        return Status::io(shown + ": cannot create: " + reason(errno));  // such as a name that is too long
    }
    // Until the file has the permissions of the file that it replaces, it must not grant more than
    // those.
    const mode_t mode = place->kind == Kind::kRegular ? place->permissions & 0666 : 0666;
    int error = EOPNOTSUPP;
    if (unfinished == Unfinished::kWithoutName) {
        state->content = Descriptor(openat(state->folder.get(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
        error = errno;
    }
    // Kernels without such files answer ENOENT or EISDIR.
    if (!state->content.is_open() && (error == EOPNOTSUPP || error == EISDIR || error == EINVAL || error == ENOENT)) {
        auto temporary = UnfinishedName::choose(state->folder.get(), state->name);
        if (!temporary.ok()) return Status::io(shown + ": cannot create: " + temporary.status().message());
        state->temporary = *std::move(temporary);
        state->content = Descriptor(
            openat(state->folder.get(), state->temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
        error = errno;
        state->temporary.made();
    }
    if (!state->content.is_open()) return Status::io(shown + ": cannot create: " + reason(error));
    return AtomicFile(std::move(state));
}

Status AtomicFile::append(std::span<const std::uint8_t> bytes) {
    State& state = *state_;
    if (!state.is_direct()) return write_at(state.size_bytes.load(), bytes);
    while (!bytes.empty()) {
        const ssize_t written = write(state.content.get(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && errno == EAGAIN) {
            WARPSEQ_TRY(wait_until_writable(state.content.get()));
            continue;
        }
        if (written < 0) return write_error(state.shown, errno);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        state.size_bytes += static_cast<std::uint64_t>(written);
    }
    return {};
}

Status AtomicFile::write_at(std::uint64_t offset_bytes, std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t written =
            pwrite(state_->content.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset_bytes));
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

void AtomicFile::start_write_back(std::uint64_t offset_bytes, std::uint64_t bytes) const {
    if (state_->is_direct() || state_->existing.is_open() || state_->unnamed) return;
    // Only whole pages are written back, because the others will be written to again.
    constexpr std::uint64_t kPage = 4096;
    const std::uint64_t begin = (offset_bytes + kPage - 1) / kPage * kPage,
                        end = (offset_bytes + bytes) / kPage * kPage;
    if (begin >= end) return;
    // If this fails, commit() writes everything.
    (void)sync_file_range(state_->content.get(), static_cast<off_t>(begin), static_cast<off_t>(end - begin),
                          SYNC_FILE_RANGE_WRITE);
}

std::uint64_t AtomicFile::size_bytes() const { return state_->size_bytes.load(); }
bool AtomicFile::can_seek() const { return state_->can_seek; }
bool AtomicFile::is_terminal() const { return isatty(state_->content.get()) == 1; }

/// Whether the content has this name in the folder.
bool AtomicFile::State::is_named(const char* as) const {
    struct stat held {
    }, named{};
    return fstat(content.get(), &held) == 0 && fstatat(folder.get(), as, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

/// Returns 0 if a call that was to name the content has done so, whatever it returned; else its
/// error.
int AtomicFile::State::done(int result, const char* as) const {
    if (result == 0) return 0;
    const int error = errno;
    return is_named(as) ? 0 : error;
}

/// Moves the finished file to its name on file systems without links. Returns 0 or the error. The
/// error is EEXIST if another file has the name.
int AtomicFile::State::move_without_replacing() {
    const int in = folder.get();
    const int error =
        done(renameat2(in, temporary.c_str(), in, name.c_str(), static_cast<unsigned>(RENAME_NOREPLACE)), name.c_str());
    if (error != EINVAL && error != ENOSYS && error != EOPNOTSUPP) return error;
    // The file system cannot rename without replacing, either. So an empty file takes the name and
    // is then replaced. Only one process can make that empty file.
    const Descriptor place(openat(in, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!place.is_open()) return errno;
    auto taken = UnfinishedName::of(in, name, place.get());
    if (!taken.ok()) {
        unlinkat(in, name.c_str(), 0);
        return ENFILE;
    }
    return done(renameat(in, temporary.c_str(), in, name.c_str()), name.c_str());
}

/// Gives the finished file its name.
Status AtomicFile::State::name_it() {
    const int in = folder.get();
    if (!temporary.is_set()) {
        const std::string open_file = "/proc/self/fd/" + std::to_string(content.get());
        const auto link_to = [&](const char* link_name) {
            return done(linkat(AT_FDCWD, open_file.c_str(), in, link_name, AT_SYMLINK_FOLLOW), link_name);
        };
        // A link never replaces a file, so the final name is linked at once if no file has it.
        // Without `replace`, a file that another process has created meanwhile stays. And a process
        // that is killed never leaves another name behind.
        int error = link_to(name.c_str());
        if (error == 0) return {};
        if (error == EEXIST && !replace) return exists_already(shown);
        if (error == EEXIST) {
            auto chosen = UnfinishedName::choose(in, name);
            if (!chosen.ok())
                return Status::io(shown + ": cannot name the finished file: " + chosen.status().message());
            temporary = *std::move(chosen);
            error = link_to(temporary.c_str());
            temporary.made();
        }
        if (error != 0) return Status::io(shown + ": cannot name the finished file: " + reason(error));
    }
    int error = 0;
    if (replace) {
        error = done(renameat(in, temporary.c_str(), in, name.c_str()), name.c_str());
    } else {
        error = done(linkat(in, temporary.c_str(), in, name.c_str(), 0), name.c_str());
        if (error == 0) {
            unlinkat(in, temporary.c_str(), 0);
        } else if (error != EEXIST) {
            error = move_without_replacing();
        }
        if (error == EEXIST) return exists_already(shown);
    }
    if (error != 0) return Status::io(shown + ": cannot rename the finished file: " + reason(error));
    temporary.release();
    return {};
}

/// Copies the content into the existing file. If the disk fills up, the file holds the beginning of
/// the content.
Status AtomicFile::State::write_into_existing() const {
    if (ftruncate(existing.get(), 0) != 0) return write_error(shown, errno);
    constexpr std::size_t kPieceBytes = std::size_t{1} << 18;
    std::vector<std::uint8_t> piece(kPieceBytes);
    const std::uint64_t size = size_bytes.load();
    for (std::uint64_t at = 0; at < size;) {
        const ssize_t got = pread(content.get(), piece.data(), piece.size(), static_cast<off_t>(at));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return write_error(shown, got < 0 ? errno : EIO);
        for (ssize_t copied = 0; copied < got;) {
            const ssize_t written = pwrite(existing.get(), piece.data() + copied,
                                           static_cast<std::size_t>(got - copied), static_cast<off_t>(at) + copied);
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) return write_error(shown, errno);
            copied += written;
        }
        at += static_cast<std::uint64_t>(got);
    }
    return fsync(existing.get()) == 0 ? Status() : write_error(shown, errno);
}

int AtomicFile::descriptor() const { return state_->content.get(); }

void AtomicFile::set_name(const std::string& name) { state_->name = name; }

Status AtomicFile::sync() const {
    if (state_->is_direct() || state_->unnamed || fsync(state_->content.get()) == 0) return {};
    return write_error(state_->shown, errno);
}

Status AtomicFile::commit() {
    State& state = *state_;
    if (state.is_direct() || state.unnamed) return {};
    if (state.existing.is_open()) return state.write_into_existing();
    if (state.replace) {
        const Descriptor old(openat(state.folder.get(), state.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
        if (old.is_open()) keep_permissions(old.get(), state.content.get());
    }
    WARPSEQ_TRY(sync());
    WARPSEQ_TRY(state.name_it());
    // The file has its name in either case. A file system that cannot sync folders is no reason to
    // fail.
    (void)fsync(state.folder.get());
    return {};
}

}  // namespace warpseq
