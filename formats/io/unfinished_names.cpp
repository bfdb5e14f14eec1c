// The list of unfinished files is a fixed array of names. Each name has a state that tells whether
// a handler may read it. There are no locks, because a handler may have interrupted the thread that
// holds one.
#include "formats/io/unfinished_names.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string_view>
#include <utility>

namespace warpseq {

namespace {

enum SlotState : int {
    kFree,
    kTaken,   // being filled in, or hidden from the handler
    kMaking,  // the file may appear at any moment
    kThere,
};
static_assert(std::atomic<int>::is_always_lock_free);

std::atomic<bool> ending{false};

constexpr std::size_t kSlots = 640;  // an update of a set may make a file for each of 512 volumes
constexpr std::size_t kRandomDigits = 16;
constexpr std::string_view kMark = ".part-";

void sleep_a_millisecond() {
    const timespec millisecond{0, 1'000'000};
    nanosleep(&millisecond, nullptr);
}

/// Waits until the process has ended if a handler is at work. Otherwise does nothing.
void wait_for_end() {
    while (ending) sleep_a_millisecond();
}

Status too_many() { return Status::unavailable("too many unfinished files at once"); }

}  // namespace

struct UnfinishedName::Slot {
    std::atomic<int> state{kFree};
    int folder = 0;
    bool is_known = false;  // whether device and inode are those of the file
    dev_t device = 0;
    ino_t inode = 0;
    std::array<char, NAME_MAX + 1> name{};
};

UnfinishedName::Slot UnfinishedName::slots_[kSlots];

void remove_unfinished_files() {
    ending = true;
    // Another thread may be between choosing a name and making its file. It gets a moment to make
    // it. The whole wait is needless only if the handler has interrupted that thread itself. Then
    // the file is already there or will never be.
    constexpr int kMostRounds = 20;
    for (int round = 0; round < kMostRounds; ++round) {
        bool making = false;
        for (const UnfinishedName::Slot& slot : UnfinishedName::slots_) making |= slot.state == kMaking;
        if (!making) break;
        sleep_a_millisecond();
    }
    // The names are removed in reverse order. The lock of a set was made first and is removed last,
    // so that no process begins to update the set before its files are gone. A file that is about
    // to be renamed is removed before the name that it would get.
    for (std::size_t s = kSlots; s-- > 0;) {
        const UnfinishedName::Slot& slot = UnfinishedName::slots_[s];
        if (slot.state >= kMaking) UnfinishedName::remove(slot);
    }
}

/// Removes the file of a slot. Async-signal-safe.
void UnfinishedName::remove(const Slot& slot) {
    struct stat named {};
    if (slot.is_known && (fstatat(slot.folder, slot.name.data(), &named, AT_SYMLINK_NOFOLLOW) != 0 ||
                          named.st_dev != slot.device || named.st_ino != slot.inode))
        return;
    unlinkat(slot.folder, slot.name.data(), 0);
}

Result<UnfinishedName> UnfinishedName::choose(int folder, const std::string& name) {
    std::uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return Status::io("cannot get random numbers for the name of a temporary file");
    const long longest = fpathconf(folder, _PC_NAME_MAX);
    const std::size_t most = longest > 0 && longest < NAME_MAX ? static_cast<std::size_t>(longest) : NAME_MAX;
    const std::size_t added = 1 + kMark.size() + kRandomDigits;
    std::size_t kept = std::min(name.size(), most - std::min(most, added));
    // The name is not cut within a UTF-8 character, because some file systems refuse names that are
    // not UTF-8.
    while (kept > 0 && kept < name.size() && (static_cast<unsigned char>(name[kept]) & 0xc0) == 0x80) --kept;
    Slot* const slot = take_slot(folder);
    if (slot == nullptr) return too_many();
    std::snprintf(slot->name.data(), slot->name.size(), ".%.*s%s%016llx", static_cast<int>(kept), name.c_str(),
                  kMark.data(), static_cast<unsigned long long>(random));
    slot->state = kMaking;
    if (ending) slot->state = kTaken;
    wait_for_end();  // a file that is made now would stay behind
    UnfinishedName chosen;
    chosen.slot_ = slot;
    return chosen;
}

Result<UnfinishedName> UnfinishedName::of(int folder, const std::string& name, int descriptor) {
    if (name.size() > NAME_MAX) return Status::io(name + ": " + std::strerror(ENAMETOOLONG));
    struct stat file {};
    if (fstat(descriptor, &file) != 0) return Status::io(name + ": " + std::strerror(errno));
    Slot* const slot = take_slot(folder);
    if (slot == nullptr) return too_many();
    slot->is_known = true;
    slot->device = file.st_dev;
    slot->inode = file.st_ino;
    std::copy_n(name.c_str(), name.size() + 1, slot->name.data());
    slot->state = kThere;
    UnfinishedName taken;
    taken.slot_ = slot;
    return taken;
}

UnfinishedName::Slot* UnfinishedName::take_slot(int folder) {
    for (Slot& slot : slots_) {
        int free = kFree;
        if (!slot.state.compare_exchange_strong(free, kTaken)) continue;
        slot.folder = folder;
        slot.is_known = false;
        return &slot;
    }
    return nullptr;
}

UnfinishedName::~UnfinishedName() {
    if (slot_ == nullptr) return;
    // Either this thread or the handler removes the file, and only once. After that, another
    // process may make a file of the same name. The handler waits for this thread if this thread
    // began first.
    const bool is_hidden = slot_->state.exchange(kMaking) == kTaken;
    if (ending) slot_->state = is_hidden ? kTaken : kThere;
    wait_for_end();
    remove(*slot_);
    release();
}

UnfinishedName::UnfinishedName(UnfinishedName&& other) noexcept : slot_(std::exchange(other.slot_, nullptr)) {}

UnfinishedName& UnfinishedName::operator=(UnfinishedName&& other) noexcept {
    std::swap(slot_, other.slot_);
    return *this;
}

void UnfinishedName::made() { slot_->state = kThere; }

void UnfinishedName::hide_from_handler() { slot_->state = kTaken; }

const char* UnfinishedName::c_str() const { return slot_->name.data(); }

void UnfinishedName::release() {
    if (slot_ != nullptr) slot_->state = kFree;
    slot_ = nullptr;
}

}  // namespace warpseq
