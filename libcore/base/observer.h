// Whom a library tells how far its work is, and what a person should know. Programs draw and print;
// a library does not.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace warpseq {

/// One piece of work, which ends with finish() or its destructor. Calls come one at a time, from
/// any thread. Several pieces may live at once.
class Progress {
   public:
    Progress() = default;
    virtual ~Progress() = default;
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// So many units are done.
    virtual void update(std::uint64_t done);
    /// The work goes on with something else: `total` units, of which `done_before` are done
    /// already.
    virtual void restart(const std::string& label, std::uint64_t total, std::uint64_t done_before);
    virtual void finish();
};

/// The base class ignores everything.
class Observer {
   public:
    virtual ~Observer() = default;
    /// Work of `total` units begins; 0: nobody knows how many. `label` says in a word or two what
    /// it is. Thread-safe.
    virtual std::unique_ptr<Progress> begin(const std::string& label, std::uint64_t total);
    /// What a person should know though it is no error: a sentence. Thread-safe.
    virtual void note(const std::string& text);
};

}  // namespace warpseq
