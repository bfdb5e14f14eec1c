// The one place that turns sequences of databases into their headers.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "engines/targets/database_set.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

struct SequencePlace {
    std::uint32_t database;  // index into the DatabaseSet
    std::uint64_t rank;      // of the sequence in its database
};

/// Calls `use` with each place's index and its header, once each and from all threads of the pool. Headers are read in
/// the database's order, so that a block of them is decoded once or, where threads meet in it, a few times. A header
/// lives as long as the call.
Status for_each_header(const DatabaseSet& databases, std::span<const SequencePlace> places, const ThreadPool& pool,
                       const std::function<void(std::size_t index, std::string_view header)>& use);

}  // namespace warpseq
