// The lock of a set (SET.wsdbs.lock): a file that an updating process holds locked. It is removed
// when the update ends.
//
// Just before an update gives its files their names, it notes in the lock which manifest it is
// about to replace, with the time of that file's last change. While that very file is in its place,
// untouched, the update has not become part of the set. A manifest that replaced it, or was brought
// back since, is another file or was changed later.
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

class SetLock {
   public:
    /// Takes the lock of a set. It does not wait. `shown` is the set's name in messages. It is an
    /// error if another process has the lock, or if a file of that name is not a lock; such a file
    /// stays as it is.
    static Result<SetLock> take(const std::filesystem::path& manifest, const std::string& shown);
    ~SetLock();
    SetLock(SetLock&& other) noexcept;
    SetLock& operator=(SetLock&&) = delete;

    /// Returns a descriptor of the set's folder. It serves to name files in the folder, not to read
    /// it.
    int folder() const { return folder_; }
    /// Returns the note that the last holder left when it was killed.
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

/// Returns a text that stays the same as long as a file is the same one and is not touched. It
/// holds the file's number on its file system and the time of its last change, which no program can
/// choose. Empty if the file cannot be examined.
std::string state_of_manifest(const std::filesystem::path& file);

/// A guard that makes the thread's signals wait while it lives. In a process with only one thread,
/// that holds for all signals of the process.
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
