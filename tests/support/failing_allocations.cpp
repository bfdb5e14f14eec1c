// A library for LD_PRELOAD that makes chosen allocations of a program fail. They may come from the
// program itself, the standard library, zlib or zstd. Counting begins with main().
//
// Under the address sanitizer, which must keep its own malloc(), only operator new fails. Compile
// with WARPSEQ_FAILING_OPERATOR_NEW for this.
//
// The environment variable WARPSEQ_FAILING_ALLOCATIONS names a file, which is mapped. It has three
// 64-bit numbers. The first is the number of the first allocation to fail, from 1 on, or 0 for
// none. The second is how many allocations fail from there on. The third is the number of
// allocations so far, which this library counts.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#if WARPSEQ_FAILING_OPERATOR_NEW
#include <new>
#endif

extern "C" {
// These are glibc's own names, so that nothing must be looked up before the first allocation.
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
}

namespace {

struct Plan {
    std::uint64_t first, count;
    std::atomic<std::uint64_t> seen;
};
std::atomic<Plan*> plan = nullptr;  // set from main() on

bool fails() {
    Plan* const at = plan.load(std::memory_order_acquire);
    if (at == nullptr) return false;
    const std::uint64_t number = at->seen.fetch_add(1, std::memory_order_relaxed) + 1;
    if (at->first == 0 || number < at->first || number - at->first >= at->count) return false;
    errno = ENOMEM;
    return true;
}

void begin() {
    const char* const file = std::getenv("WARPSEQ_FAILING_ALLOCATIONS");
    if (file == nullptr) return;
    const int descriptor = open(file, O_RDWR | O_CLOEXEC);
    void* const memory = mmap(nullptr, sizeof(Plan), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (descriptor < 0 || memory == MAP_FAILED) std::abort();
    close(descriptor);
    plan = static_cast<Plan*>(memory);
}

using Main = int (*)(int, char**, char**);
Main program_main = nullptr;

int counted_main(int argc, char** argv, char** environment) {
    begin();
    return program_main(argc, argv, environment);
}

}  // namespace

#if WARPSEQ_FAILING_OPERATOR_NEW

// malloc() and free() are the sanitizer's.
[[gnu::visibility("default")]] void* operator new(std::size_t bytes) {
    void* const memory = fails() ? nullptr : std::malloc(bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
[[gnu::visibility("default")]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
    // The size of aligned_alloc()'s memory must be a multiple of the alignment.
    const auto unit = static_cast<std::size_t>(alignment);
    void* const memory = fails() ? nullptr : aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
[[gnu::visibility("default")]] void* operator new[](std::size_t bytes) { return ::operator new(bytes); }
[[gnu::visibility("default")]] void* operator new[](std::size_t bytes, std::align_val_t alignment) {
    return ::operator new(bytes, alignment);
}
[[gnu::visibility("default")]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return fails() ? nullptr : std::malloc(bytes);
}
[[gnu::visibility("default")]] void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
    return fails() ? nullptr : std::malloc(bytes);
}
[[gnu::visibility("default")]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::visibility("default")]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::visibility("default")]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::visibility("default")]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::visibility("default")]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::visibility("default")]] void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::visibility("default")]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
[[gnu::visibility("default")]] void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}

#else

extern "C" {

[[gnu::visibility("default")]] void* malloc(std::size_t bytes) { return fails() ? nullptr : __libc_malloc(bytes); }

[[gnu::visibility("default")]] void* calloc(std::size_t count, std::size_t bytes) {
    return fails() ? nullptr : __libc_calloc(count, bytes);
}

[[gnu::visibility("default")]] void* realloc(void* memory, std::size_t bytes) {
    return fails() ? nullptr : __libc_realloc(memory, bytes);
}

[[gnu::visibility("default")]] void* memalign(std::size_t alignment, std::size_t bytes) {
    return fails() ? nullptr : __libc_memalign(alignment, bytes);
}

[[gnu::visibility("default")]] void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    return fails() ? nullptr : __libc_memalign(alignment, bytes);
}

[[gnu::visibility("default")]] int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
    void* const found = fails() ? nullptr : __libc_memalign(alignment, bytes);
    if (found == nullptr) return ENOMEM;
    *memory = found;
    return 0;
}
}

#endif

extern "C" {

[[gnu::visibility("default")]] int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(),
                                                     void (*loader_fini)(), void* stack_end) {
    using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
    const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
    program_main = main;
    return start(counted_main, argc, argv, init, fini, loader_fini, stack_end);
}
}
