// The list of the names of unfinished files. A signal handler removes these files before it ends
// the process. Few files have such a name, because most are written without one
// (formats/io/atomic_file.h).
//
// A process has only one list, because a signal handler can reach only static data.
#pragma once

#include <cstdint>
#include <string>

#include "libcore/base/status.h"

namespace warpseq {

/// Removes the files of all names on the list, the latest first, and prevents new files from being
/// made. Async-signal-safe. Only a handler that then ends the process may call it.
void remove_unfinished_files();

/// One name on the list. It stays there from before the file is made until the file is removed or
/// has its final name.
class UnfinishedName {
   public:
    /// Returns a name in `folder` that no other file has. `folder` is an open descriptor, which
    /// outlives the name. The name is ".NAME.part-" and 16 random hexadecimal digits; a long NAME
    /// is cut. The caller makes the file and then calls made(). Returns kUnavailable if the list is
    /// full.
    static Result<UnfinishedName> choose(int folder, const std::string& name);
    /// Puts `name` in `folder` on the list. `descriptor` is the open file that has this name. If
    /// another file takes the name later, that file is never removed. Returns kUnavailable if the
    /// list is full.
    static Result<UnfinishedName> of(int folder, const std::string& name, int descriptor);
    UnfinishedName() = default;
    /// Removes the file unless release() was called.
    ~UnfinishedName();
    UnfinishedName(UnfinishedName&& other) noexcept;
    UnfinishedName& operator=(UnfinishedName&& other) noexcept;

    /// Tells the handler that the file has been made, or could not be made. The caller calls it
    /// after choose().
    void made();
    /// Returns the name within the folder.
    const char* c_str() const;
    bool is_set() const { return slot_ != nullptr; }
    /// Lets the handler no longer remove the file. The destructor still removes it.
    void hide_from_handler();
    /// Takes the name off the list. The caller calls it when the file has its final name or is
    /// gone.
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
