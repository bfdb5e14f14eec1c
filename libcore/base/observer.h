// The interface by which a library reports its progress, and notes for the user. Programs draw and
// print them. A library does neither.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace warpseq {

/// The progress of one piece of work, which ends with finish() or the destructor. Calls come one at
/// a time, from any thread. Several pieces may live at once.
class Progress {
   public:
    Progress() = default;
    virtual ~Progress() = default;
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Called when `done` units have been done since the beginning of the work or the last
    /// restart(). The units that restart() calls `done_before` are included.
    virtual void update(std::uint64_t done);
    /// Called when a new phase of the work, named `label`, begins. The phase has `total` units, and
    /// `done_before` of them are already done.
    virtual void restart(const std::string& label, std::uint64_t total, std::uint64_t done_before);
    /// Called when the work has ended.
    virtual void finish();
};

/// A receiver of progress and notes. This base class ignores everything.
class Observer {
   public:
    virtual ~Observer() = default;
    /// Called when work of `total` units begins; 0 means that the number is not known. `label`
    /// names the work in a word or two. Returns the object that receives the progress of this work,
    /// never null. Thread-safe.
    virtual std::unique_ptr<Progress> begin(const std::string& label, std::uint64_t total);
    /// Called with a sentence that the user should read although it reports no error. Thread-safe.
    virtual void note(const std::string& text);
};

}  // namespace warpseq
