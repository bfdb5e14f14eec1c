// The lock of a set (SET.wsdbs.lock): a file that an updating process holds locked. It is removed
// when the update ends.
//
// Just before an update gives its files their names, it writes a note into the lock. The note says
// which manifest the update is about to replace, and when that file was last changed. As long as
// the same file is in its place and has not been changed, the update has not become part of the
// set. A manifest that has replaced it is another file. An old manifest that was copied back is
// another file, too, or has a later time of change.
#pragma once

#include <csignal>
#include <filesystem>
#include <optional>
#include <string>

#include "formats/io/unfinished_names.h"
#include "libcore/base/status.h"

namespace warpseq {

/// The note that an update leaves in the lock while it names its files.
struct SetLockNote {
    std::string set;       // identity of the set
    std::string update;    // the update that made the files
    std::string manifest;  // state_of_manifest() before the update
    bool operator==(const SetLockNote&) const = default;
};

/// A lock that this process holds. The destructor removes its file.
class SetLock {
   public:
    /// Takes the lock of the set whose manifest is `manifest`, without waiting. `shown` is the
    /// set's name in messages. Returns an error if another process has the lock, or if a file with
    /// the lock's name is not a lock. Such a file stays as it is.
    static Result<SetLock> take(const std::filesystem::path& manifest, const std::string& shown);
    ~SetLock();
    SetLock(SetLock&& other) noexcept;
    SetLock& operator=(SetLock&&) = delete;

    /// Returns a descriptor of the set's folder, with which files in the folder can be named. The
    /// folder cannot be listed with it.
    int folder() const { return folder_; }
    /// Returns the note of a last holder that was killed, or nothing if there is none.
    const std::optional<SetLockNote>& note_before() const { return note_before_; }

    /// Writes a note. Until clear_note() is called, signal handlers do not remove the lock.
    Status write_note(const SetLockNote& note);
    void clear_note();

   private:
    SetLock() = default;
    Status write(const std::string& text) const;
    Status read();

    int folder_ = -1;
    int descriptor_ = -1;
    std::string shown_;  // name of the lock in messages
    std::optional<SetLockNote> note_before_;
    UnfinishedName name_;
};

/// Returns a text that stays the same as long as the name stands for the same file and the file is
/// not changed. It has the device, the inode, the size, and the time of the inode's last change,
/// which no program can set. Empty if the file cannot be examined.
std::string state_of_manifest(const std::filesystem::path& file);

/// A guard that blocks all signals of its thread while it lives. Signals that arrive are delivered
/// afterwards. In a process with only one thread, these are all signals of the process.
class SignalsWait {
   public:
    SignalsWait();
    ~SignalsWait();
    SignalsWait(const SignalsWait&) = delete;
    SignalsWait& operator=(const SignalsWait&) = delete;

   private:
    sigset_t before_{};
};

}  // namespace warpseq
