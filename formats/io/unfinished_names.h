// The names of files that are not finished, so that a signal handler can remove them before it ends
// the process. Few files have such a name: most are written without one (formats/io/atomic_file.h).
//
// A process has one list, because a handler reaches nothing but what is static.
#pragma once

#include <cstdint>
#include <string>

#include "libcore/base/status.h"

namespace warpseq {

/// Removes the files of all names of the list, the one that was put there last first, and keeps new
/// ones from being made. Async-signal-safe. For a handler that ends the process next.
void remove_unfinished_files();

/// One name on the list, from before the file is made until it is removed or has its final name.
class UnfinishedName {
   public:
    /// A name in `folder` (an open descriptor, which outlives it) that no other file has:
    /// ".NAME.part-" and 16 random hexadecimal digits, where a long NAME is cut. The caller makes
    /// the file and then calls made(). kUnavailable: too many at once.
    static Result<UnfinishedName> choose(int folder, const std::string& name);
    /// `name` in `folder`, of the file that `descriptor` has open. Another file that gets the name
    /// meanwhile is never removed. kUnavailable: too many at once.
    static Result<UnfinishedName> of(int folder, const std::string& name, int descriptor);
    UnfinishedName() = default;
    /// Removes the file unless release() was called.
    ~UnfinishedName();
    UnfinishedName(UnfinishedName&& other) noexcept;
    UnfinishedName& operator=(UnfinishedName&& other) noexcept;

    /// The file is there, or could not be made.
    void made();
    /// Within the folder.
    const char* c_str() const;
    bool is_set() const { return slot_ != nullptr; }
    /// A handler no longer removes the file; the destructor does.
    void hide_from_handler();
    /// The file has got its final name, or is gone.
    void release();

   private:
    struct Slot;
    static Slot* take_slot(int folder);
    static void remove(const Slot& slot);
    friend void remove_unfinished_files();
    static Slot slots_[];
    Slot* slot_ = nullptr;
};

}  // namespace warpseq
