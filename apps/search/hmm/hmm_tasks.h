// Loops of a profile search over a pool's threads.
#pragma once

#include <cstdint>
#include <new>

#include "apps/search/chunk_reader.h"
#include "libcore/status.h"
#include "libcore/thread_pool.h"

namespace warpseq {

/// Calls work(index, thread) as ThreadPool::parallel_for does. Memory that runs out in it is the result, not the end.
template <typename Work>
Status run_tasks(ThreadPool& pool, std::uint64_t count, const Work& work) {
    FirstError error;
    pool.parallel_for(count, [&](std::uint64_t index, unsigned thread) {
        try {
            work(index, thread);
        } catch (const std::bad_alloc&) {
            error.set(index, Status::unavailable("out of memory: a long target needs about 8 bytes for each of its residues times "
                                                 "the profile's nodes on each thread; use fewer --threads"));
        }
    });
    return error.status();
}

}  // namespace warpseq
