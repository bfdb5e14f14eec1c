#include "formats/io/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <list>
#include <mutex>
#include <string>
#include <utility>

namespace warpseq {

namespace {

/// An entry in the table of mappings. The handler reads it without a lock. If `changes` is odd, or
/// differs before and after reading, open() or a destructor is changing the slot. Then no code is
/// reading through its mapping.
struct Slot {
    std::atomic<std::uint64_t> changes{0};
    std::atomic<std::uintptr_t> begin{0};  // 0: free
    std::atomic<std::uintptr_t> end{0};
    std::atomic<bool> lost{false};
    std::atomic<std::uint64_t> lost_offset{0};  // offset of the first lost page; set before `lost`
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

std::array<Slot, MappedFile::kMostMappings> slots;
std::mutex slots_mutex;  // held by threads that change slots
struct sigaction first_handler;
std::atomic<const struct sigaction*> later_handler = nullptr;
std::mutex handler_mutex;  // held by threads that set the handler
bool has_handler = false;  // guarded by handler_mutex

void set(Slot& slot, std::uintptr_t begin, std::uintptr_t end) {
    slot.changes.fetch_add(1);
    slot.begin.store(begin);
    slot.end.store(end);
    slot.lost.store(false);
    slot.changes.fetch_add(1);
}

/// Returns the slot of the mapping that holds an address, or null if there is none.
Slot* slot_of(std::uintptr_t address) {
    for (Slot& slot : slots) {
        const std::uint64_t changes = slot.changes.load();
        const std::uintptr_t begin = slot.begin.load(), end = slot.end.load();
        if (changes % 2 == 0 && slot.changes.load() == changes && address >= begin && address < end) return &slot;
    }
    return nullptr;
}

// Signals that are not of a lost page go to another handler: the last one that was installed after
// this one (install_handler()), or the one that was there first. A handler that reports a crash, as
// Python's faulthandler, puts this one back in its place and sends the signal again, and others
// call the handler that they have replaced. So a signal that comes while a handler is being called
// goes to the first one. So does a fault that comes again and again, because a handler has returned
// without an effect.

/// Whether the fault is that of the last signals, which have been passed on.
bool comes_again(const siginfo_t& info) {
    constexpr int kMost = 3;
    static std::atomic<void*> last_address = nullptr;
    static std::atomic<int> times = 0;
    if (info.si_code <= 0) return false;  // it was sent
    if (last_address.exchange(info.si_addr) != info.si_addr) times = 0;
    return ++times > kMost;
}

void pass_on(int signal, siginfo_t* info, void* context) {
    static std::atomic<pid_t> caller = 0;  // the thread that is calling a handler
    const auto self = static_cast<pid_t>(syscall(SYS_gettid));
    const bool is_sent = info->si_code <= 0, is_nested = caller == self;
    const struct sigaction* const later = later_handler;
    const struct sigaction& handler = later != nullptr && !is_nested && !comes_again(*info) ? *later : first_handler;
    const bool has_information = (handler.sa_flags & SA_SIGINFO) != 0;
    if (has_information || (handler.sa_handler != SIG_DFL && handler.sa_handler != SIG_IGN)) {
        const pid_t before = caller.exchange(self);
        if (has_information)
            handler.sa_sigaction(signal, info, context);
        else
            handler.sa_handler(signal);
        caller = before;
    } else if (!is_sent || handler.sa_handler == SIG_DFL) {
        // The signal comes again once the handler has returned: because the same read fails again,
        // or through raise() if a process had sent it.
        std::signal(signal, SIG_DFL);
        if (is_sent) raise(signal);
    }
}

extern "C" void take_bus_error(int signal, siginfo_t* info, void* context) {
    const int error = errno;
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    Slot* const slot = info->si_code == BUS_ADRERR ? slot_of(address) : nullptr;
    bool replaced = false;
    if (slot != nullptr) {
        // All pages behind this one are treated as lost. So a cut file causes one signal, not one
        // for each page.
        const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
        const std::uintptr_t page = address / page_bytes * page_bytes;
        if (!slot->lost.load()) slot->lost_offset.store(page - slot->begin.load());
        slot->lost.store(true);
        replaced = mmap(reinterpret_cast<void*>(page), slot->end.load() - page, PROT_READ,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
    }
    if (!replaced) pass_on(signal, info, context);
    errno = error;
}

/// Installs the handler, unless it is there already.
Status install_handler() {
    struct sigaction action {
    }, now{};
    const std::lock_guard lock(handler_mutex);
    if (sigaction(SIGBUS, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == take_bus_error)
        return {};
    action.sa_sigaction = take_bus_error;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;  // a handler may send the signal again (pass_on())
    sigemptyset(&action.sa_mask);
    if (!has_handler) {
        first_handler = now;
    } else {
        // The handler may be reading the old one, so each stays where it is.
        static std::list<struct sigaction> later;
        later_handler = &later.emplace_back(now);
    }
    if (sigaction(SIGBUS, &action, nullptr) != 0)
        return Status::io(std::string("cannot handle SIGBUS: ") + std::strerror(errno));
    has_handler = true;
    return {};
}

/// Enters a mapping into the table. Returns its slot, or kMostMappings if all slots are taken.
std::size_t enter(std::uintptr_t begin, std::uintptr_t end) {
    const std::lock_guard lock(slots_mutex);
    std::size_t free = 0;
    while (free < slots.size() && slots[free].begin.load() != 0) ++free;
    if (free < slots.size()) set(slots[free], begin, end);
    return free;
}

/// A descriptor that closes itself.
struct Descriptor {
    int number;
    ~Descriptor() {
        if (number >= 0) ::close(number);
    }
};

}  // namespace

void MappedFile::keep_handler() {
    {
        const std::lock_guard lock(handler_mutex);
        if (!has_handler) return;
    }
    static_cast<void>(install_handler());
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& file) {
    // O_NONBLOCK keeps open() from waiting for the writer of a FIFO. A regular file on which
    // another process has a lease cannot be opened in this way.
    constexpr int kFlags = O_RDONLY | O_CLOEXEC;
    int opened = ::open(file.c_str(), kFlags | O_NONBLOCK);
    if (opened < 0 && errno == EWOULDBLOCK) opened = ::open(file.c_str(), kFlags);
    const Descriptor descriptor{opened};
    if (descriptor.number < 0) return Status::io(file.string() + ": cannot open: " + std::strerror(errno));
    return of_descriptor(descriptor.number, file);
}

Result<MappedFile> MappedFile::of_descriptor(int descriptor, const std::filesystem::path& file) {
    WARPSEQ_TRY(install_handler());
    struct stat info {};
    if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode))
        return Status::io(file.string() + ": not a regular file; a database is read through a memory map");
    MappedFile mapped;
    mapped.stamp_ = FileStamp::of(info);
    const auto size_bytes = static_cast<std::size_t>(info.st_size);
    if (size_bytes == 0) return mapped;
    void* const address = mmap(nullptr, size_bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    if (address == MAP_FAILED) return Status::io(file.string() + ": cannot map: " + std::strerror(errno));
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    mapped.slot_ = enter(begin, begin + size_bytes);
    if (mapped.slot_ == kMostMappings) {
        munmap(address, size_bytes);
        return Status::unavailable(file.string() + ": cannot map: " + std::to_string(kMostMappings) +
                                   " files are mapped already");
    }
    mapped.bytes_ = {static_cast<const std::uint8_t*>(address), size_bytes};
    return mapped;
}

MappedFile::~MappedFile() {
    if (bytes_.empty()) return;
    {
        const std::lock_guard lock(slots_mutex);
        set(slots[slot_], 0, 0);
    }
    munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})), stamp_(other.stamp_), slot_(other.slot_) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(stamp_, other.stamp_);
    std::swap(slot_, other.slot_);
    return *this;
}

bool MappedFile::lost() const { return !bytes_.empty() && slots[slot_].lost.load(); }
std::uint64_t MappedFile::lost_offset_bytes() const { return bytes_.empty() ? 0 : slots[slot_].lost_offset.load(); }

}  // namespace warpseq
