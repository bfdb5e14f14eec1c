// The lock of a set (SET.wsdbs.lock): a file that the process that updates the set holds locked,
// and that goes when the update ends.
//
// Just before an update gives its files their names it notes in the lock which manifest it is about
// to replace: the very file, with the time of its last change. As long as that file is in its
// place, untouched, the update has never become part of the set: a manifest that replaced it, or
// was brought back since, is another file or was changed later.
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
    std::string set;       // identity
    std::string update;    // of which the files are
    std::string manifest;  // state_of_manifest() as the update found it
    bool operator==(const SetLockNote&) const = default;
};

class SetLock {
   public:
    /// Takes the lock of a set at once or not at all. `shown` is the set's name in messages.
    /// Errors: another process has it; a file of that name that is no lock, which stays as it is.
    static Result<SetLock> take(const std::filesystem::path& manifest, const std::string& shown);
    ~SetLock();
    SetLock(SetLock&& other) noexcept;
    SetLock& operator=(SetLock&&) = delete;

    /// Returns the folder of the set, as a descriptor that serves to name files in it, not to read
    /// it.
    int folder() const { return folder_; }
    /// Returns the note that the last holder left when it was killed.
    const std::optional<SetLockNote>& note_before() const { return note_before_; }

    /// Writes a note. Until clear_note() a signal handler leaves the lock where it is.
    Status write_note(const SetLockNote& note);
    void clear_note();

   private:
    SetLock() = default;
    Status write(const std::string& text) const;
    Status read();

    int folder_ = -1;
    int descriptor_ = -1;
    std::string shown_;  // of the lock
    std::optional<SetLockNote> note_before_;
    UnfinishedName name_;
};

/// Returns a text that stays the same as long as a file is the one that it was and is not touched.
/// It has the file's number on its file system and the time of its last change, which no program
/// can choose. Empty where the file cannot be looked at.
std::string state_of_manifest(const std::filesystem::path& file);

/// A guard that makes signals wait while it lives. Those of the process wait, too, where there is
/// no other thread.
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
