#include "formats/wsdb/wsdb_set_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string_view>
#include <utility>

namespace warpseq {

namespace {

/// The first line of a lock. A lock that was made a moment ago may be empty.
constexpr std::string_view kFirstLine = "warpseq lock of a set\n";
constexpr int kMostTries = 100;

Status refused(const std::string& lock, const char* call) {
    return Status::io(lock + ": cannot be " + call + ": " + std::strerror(errno));
}

std::string note_text(const SetLockNote& note) {
    return std::string(kFirstLine) + "set " + note.set + "\nupdate " + note.update + "\nmanifest " + note.manifest +
           "\n";
}

}  // namespace

SignalsWait::SignalsWait() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
}

SignalsWait::~SignalsWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

Result<SetLock> SetLock::take(const std::filesystem::path& manifest, const std::string& shown) {
    const SignalsWait until_it_is_held;
    SetLock lock;
    const std::filesystem::path folder = manifest.parent_path().empty() ? "." : manifest.parent_path();
    const std::string name = manifest.filename().string() + ".lock";
    lock.shown_ = manifest.string() + ".lock";
    lock.folder_ = open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (lock.folder_ < 0) return refused(lock.shown_, "opened");
    for (int tries = 0;; ++tries) {
        if (tries == kMostTries)
            return Status::io(lock.shown_ + ": cannot be locked: another file took its name at each attempt");
        lock.descriptor_ =
            openat(lock.folder_, name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
        if (lock.descriptor_ < 0) return refused(lock.shown_, "opened");
        struct stat held {
        }, named{};
        if (fstat(lock.descriptor_, &held) != 0) return refused(lock.shown_, "read");
        if (!S_ISREG(held.st_mode))
            return Status::io(lock.shown_ + ": is not a regular file, so it is not the lock of a set; move it away");
        if (flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0) {
            if (errno != EWOULDBLOCK) return refused(lock.shown_, "locked");
            return Status::io(shown +
                              ": is being updated by another process; run the command again when that has ended");
        }
        // The lock's last holder may have removed the file between the two calls.
        if (fstatat(lock.folder_, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 && held.st_ino == named.st_ino &&
            held.st_dev == named.st_dev)
            break;
        close(std::exchange(lock.descriptor_, -1));
        const timespec millisecond{0, 1'000'000};
        if (tries > 0) nanosleep(&millisecond, nullptr);
    }
    WARPSEQ_TRY(lock.read());
    auto taken = UnfinishedName::of(lock.folder_, name, lock.descriptor_);
    if (!taken.ok()) return taken.status();
    lock.name_ = *std::move(taken);
    return lock;
}

SetLock::~SetLock() {
    name_ = UnfinishedName();  // removes the file while it is locked
    if (descriptor_ >= 0) close(descriptor_);
    if (folder_ >= 0) close(folder_);
}

SetLock::SetLock(SetLock&& other) noexcept
    : folder_(std::exchange(other.folder_, -1)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      shown_(std::move(other.shown_)),
      note_before_(std::move(other.note_before_)),
      name_(std::move(other.name_)) {}

/// Reads the lock as its last holder left it.
Status SetLock::read() {
    std::array<char, 512> start{};
    const ssize_t got = pread(descriptor_, start.data(), start.size(), 0);
    if (got < 0) return refused(shown_, "read");
    const std::string_view text(start.data(), static_cast<std::size_t>(got));
    if (text.empty()) return write(std::string(kFirstLine));
    if (!text.starts_with(kFirstLine)) {
        return Status::io(shown_ +
                          ": is not the lock of a set, but an update needs a lock of that name; move the file away");
    }
    // The text is a note only if writing its parts again gives the same text.
    SetLockNote note;
    const auto line_behind = [text](std::string_view key) {
        const std::size_t at = text.find(key);
        if (at == text.npos) return std::string();
        const std::string_view rest = text.substr(at + key.size());
        return std::string(rest.substr(0, rest.find('\n')));
    };
    note.set = line_behind("\nset ");
    note.update = line_behind("\nupdate ");
    note.manifest = line_behind("\nmanifest ");
    if (note_text(note) == text && !note.manifest.empty()) note_before_ = std::move(note);
    return {};
}

Status SetLock::write(const std::string& text) const {
    if (ftruncate(descriptor_, 0) == 0 &&
        pwrite(descriptor_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()))
        return {};
    return refused(shown_, "written to");
}

Status SetLock::write_note(const SetLockNote& note) {
    name_.hide_from_handler();
    return write(note_text(note));
}

void SetLock::clear_note() {
    (void)write(std::string(kFirstLine));  // a note that stays proves nothing
    name_.made();
}

std::string state_of_manifest(const std::filesystem::path& file) {
    struct stat info {};
    if (stat(file.c_str(), &info) != 0) return "";
    return std::to_string(info.st_dev) + " " + std::to_string(info.st_ino) + " " + std::to_string(info.st_size) + " " +
           std::to_string(info.st_ctim.tv_sec) + "." + std::to_string(info.st_ctim.tv_nsec);
}

}  // namespace warpseq
