// What validate asks of a whole database in a few large loops, by all threads. The answers are sums, and yes or no: where the answer is no,
// the validator looks again, entry by entry, and says where.
#pragma once

#include <cstdint>

#include "formats/wsdb_map.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// What WsdbReader::Map::check_numbers() looks at.
Result<bool> are_numbers_sound(const WsdbReader::Map& map, const ThreadPool& pool);

/// Whether each input position is there once, and ascends among sequences of one length. A bit of memory for each sequence.
Result<bool> is_order_sound(const WsdbReader::Map& map, const ThreadPool& pool);

struct NameIndexSummary {
    bool is_sound = false;            // ranks of sequences, entries in ascending order of hash and rank
    std::uint64_t sum_of_hashes = 0;  // XXH3-64 of each entry, added up: the same in any order
    std::uint64_t equal_hashes = 0;   // entries with the hash of the one before
};
Result<NameIndexSummary> summarize_name_index(const WsdbReader::Map& map, const ThreadPool& pool);

/// The statistics that follow from the lengths; the others are 0.
Result<wsdb::Statistics> statistics_of_lengths(const WsdbReader::Map& map, const ThreadPool& pool);

}  // namespace warpseq
