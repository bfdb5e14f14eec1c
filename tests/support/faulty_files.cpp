// A library for LD_PRELOAD in tests. It acts like file systems and machines that fail at a chosen
// call.
//
//   WARPSEQ_KILL_AT=N        ends the process by SIGKILL before its N-th call that changes names or
//                            syncs
//   WARPSEQ_LIE_AT=N         does the N-th call that makes or removes a name, but returns an error,
//                            like a server that got the call twice
//   WARPSEQ_WITHOUT_LINKS=1  has no hard links, like FAT. With 2, it also cannot rename without
//                            replacing
//   WARPSEQ_NO_UNNAMED=1     has no files without a name
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>

namespace {

long number_of(const char* name) {
    const char* const text = std::getenv(name);
    return text == nullptr ? 0 : std::atol(text);
}

std::atomic<long> calls{0}, names{0};

void count_call() {
    if (++calls == number_of("WARPSEQ_KILL_AT")) kill(getpid(), SIGKILL);
}

/// Returns the result of a call about names, or an error if WARPSEQ_LIE_AT names this call.
int answer(long result, int error) {
    if (++names != number_of("WARPSEQ_LIE_AT")) return static_cast<int>(result);
    errno = error;
    return -1;
}

int open_at(int folder, const char* name, int flags, mode_t mode) {
    if ((flags & O_TMPFILE) == O_TMPFILE && number_of("WARPSEQ_NO_UNNAMED") != 0) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return static_cast<int>(syscall(SYS_openat, folder, name, flags, mode));
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] int open(const char* name, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_at(AT_FDCWD, name, flags, mode);
}

[[gnu::visibility("default")]] int openat(int folder, const char* name, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_at(folder, name, flags, mode);
}

[[gnu::visibility("default")]] int linkat(int from_folder, const char* from, int to_folder, const char* to,
                                          int flags) noexcept {
    count_call();
    if (number_of("WARPSEQ_WITHOUT_LINKS") != 0) {
        errno = EPERM;
        return -1;
    }
    return answer(syscall(SYS_linkat, from_folder, from, to_folder, to, flags), EEXIST);
}

[[gnu::visibility("default")]] int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
    count_call();
    return answer(syscall(SYS_renameat2, from_folder, from, to_folder, to, 0), ENOENT);
}

[[gnu::visibility("default")]] int renameat2(int from_folder, const char* from, int to_folder, const char* to,
                                             unsigned flags) noexcept {
    count_call();
    if (number_of("WARPSEQ_WITHOUT_LINKS") == 2) {
        errno = EINVAL;
        return -1;
    }
    return answer(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags), ENOENT);
}

[[gnu::visibility("default")]] int unlinkat(int folder, const char* name, int flags) noexcept {
    count_call();
    return answer(syscall(SYS_unlinkat, folder, name, flags), ENOENT);
}

[[gnu::visibility("default")]] int remove(const char* name) noexcept {
    count_call();
    return answer(syscall(SYS_unlinkat, AT_FDCWD, name, 0), ENOENT);
}

[[gnu::visibility("default")]] int fsync(int descriptor) {
    count_call();
    return static_cast<int>(syscall(SYS_fsync, descriptor));
}

[[gnu::visibility("default")]] int fdatasync(int descriptor) {
    count_call();
    return static_cast<int>(syscall(SYS_fdatasync, descriptor));
}

[[gnu::visibility("default")]] int ftruncate(int descriptor, off_t size) noexcept {
    count_call();
    return static_cast<int>(syscall(SYS_ftruncate, descriptor, size));
}

}  // extern "C"
