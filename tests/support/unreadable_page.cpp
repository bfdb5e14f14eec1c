// A library for LD_PRELOAD in tests. It acts like a disk with one page that cannot be read. The
// page is the one with byte $WARPSEQ_UNREADABLE_BYTE of the file $WARPSEQ_UNREADABLE_FILE. Reads
// end before that page, as the system's do. With $WARPSEQ_UNREADABLE_WHOLE they fail as a whole.

// With this macro, which some systems' compilers define, pread() is an inline function already.
#undef _FORTIFY_SOURCE
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace {

constexpr off_t kPageBytes = 4096;

ssize_t read_but_for_page(int descriptor, void* buffer, std::size_t size, off_t offset) {
    const char* const file = std::getenv("WARPSEQ_UNREADABLE_FILE");
    const char* const byte = std::getenv("WARPSEQ_UNREADABLE_BYTE");
    struct stat wanted {
    }, open{};
    if (file != nullptr && byte != nullptr && stat(file, &wanted) == 0 && fstat(descriptor, &open) == 0 &&
        wanted.st_dev == open.st_dev && wanted.st_ino == open.st_ino) {
        const off_t page = std::atoll(byte) / kPageBytes * kPageBytes;
        const bool touches = offset < page + kPageBytes && offset + static_cast<off_t>(size) > page;
        if (touches && (offset >= page || std::getenv("WARPSEQ_UNREADABLE_WHOLE") != nullptr)) {
            errno = EIO;
            return -1;
        }
        if (touches) size = static_cast<std::size_t>(page - offset);
    }
    return syscall(SYS_pread64, descriptor, buffer, size, offset);
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] ssize_t pread(int descriptor, void* buffer, std::size_t size, off_t offset) {
    return read_but_for_page(descriptor, buffer, size, offset);
}

[[gnu::visibility("default")]] ssize_t pread64(int descriptor, void* buffer, std::size_t size, off_t offset) {
    return read_but_for_page(descriptor, buffer, size, offset);
}

}  // extern "C"
