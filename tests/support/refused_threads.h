// Simulates a machine on which no thread can be started. Include it in one file of a test program,
// because it defines pthread_create().
#pragma once

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>

namespace warpseq::testing {

/// True while the program cannot start a thread.
inline std::atomic<bool> threads_are_refused = false;

}  // namespace warpseq::testing

/// Replaces the C library's pthread_create(), also for std::thread.
extern "C" [[gnu::visibility("default")]] int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                                             void* (*start)(void*), void* argument) noexcept {
    static const auto create = reinterpret_cast<decltype(&pthread_create)>(::dlsym(RTLD_NEXT, "pthread_create"));
    return warpseq::testing::threads_are_refused ? EAGAIN : create(thread, attributes, start, argument);
}
