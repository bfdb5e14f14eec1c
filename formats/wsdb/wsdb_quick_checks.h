// What validate asks of a whole database in a few large loops, by all threads. The answers are
// sums, and yes or no: where the answer is no, the validator looks again, entry by entry, and says
// where.
#pragma once

#include <cstdint>

#include "formats/wsdb/wsdb_map.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// What WsdbReader::Map::check_numbers() looks at.
Result<bool> are_numbers_sound(const WsdbReader::Map& map, const ThreadPool& pool);

/// Whether each input position is there once, and ascends among sequences of one length. For
/// lengths that descend. A bit of memory for each sequence at most.
Result<bool> is_order_sound(const WsdbReader::Map& map, const ThreadPool& pool);

/// What the entries of the index of names are told apart by where they are added up: the sum is the
/// same in any order, and other entries have another, but for chance.
constexpr std::uint64_t mixed(const wsdb::NameEntry& entry) {
    constexpr std::uint64_t kFirst = 0x9e3779b97f4a7c15, kSecond = 0xd1b54a32d192ed03, kThird = 0x8cb92ba72f3d8dd7;
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{entry.hash ^ kFirst} * ((entry.rank + kSecond) * kThird);
    const auto folded = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    return (folded ^ folded >> 32) * kFirst;
}

struct NameIndexSummary {
    bool is_sound = false;           // checksums, ranks of sequences, entries in ascending order of hash and rank
    std::uint64_t sum = 0;           // mixed() of each entry, added up
    std::uint64_t equal_hashes = 0;  // entries with the hash of the one before
};
Result<NameIndexSummary> summarize_name_index(const WsdbReader::Map& map, const ThreadPool& pool);

/// The statistics that follow from lengths that descend, and from the index of tiles; the others
/// are 0.
Result<wsdb::Statistics> statistics_of_lengths(const WsdbReader::Map& map, const ThreadPool& pool);

}  // namespace warpseq
