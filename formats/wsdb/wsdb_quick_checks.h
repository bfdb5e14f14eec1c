// Fast checks of a whole database for the validator, in a few large loops by all threads. The
// results are sums, or true and false, without the place of a fault. If a result is false, the
// validator checks again, entry by entry, and reports the place.
#pragma once

#include <cstdint>

#include "formats/wsdb/wsdb_map.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// Returns true if WsdbReader::Map::check_numbers() would find no fault.
Result<bool> are_numbers_sound(const WsdbReader::Map& map, const ThreadPool& pool);

/// Returns whether each input position occurs once, and whether positions ascend among sequences of
/// the same length. The lengths must already be known to descend. Memory: at most one bit for each
/// sequence.
Result<bool> is_order_sound(const WsdbReader::Map& map, const ThreadPool& pool);

/// Returns a hash of an entry of the index of names. The sum of the hashes of all entries
/// identifies a set of entries in any order, except by chance.
constexpr std::uint64_t mixed(const wsdb::NameEntry& entry) {
    constexpr std::uint64_t kFirst = 0x9e3779b97f4a7c15, kSecond = 0xd1b54a32d192ed03, kThird = 0x8cb92ba72f3d8dd7;
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{entry.hash ^ kFirst} * ((entry.rank + kSecond) * kThird);
    const auto folded = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    return (folded ^ folded >> 32) * kFirst;
}

struct NameIndexSummary {
    bool is_sound = false;           // checksums are right, ranks are valid, entries ascend by hash and rank
    std::uint64_t sum = 0;           // sum of mixed() of all entries
    std::uint64_t equal_hashes = 0;  // entries with the same hash as the entry before
};
/// Returns the summary of the whole index of names.
Result<NameIndexSummary> summarize_name_index(const WsdbReader::Map& map, const ThreadPool& pool);

/// Returns the statistics that follow from the lengths, which must descend, and from the index of
/// tiles. All other statistics are 0.
Result<wsdb::Statistics> statistics_of_lengths(const WsdbReader::Map& map, const ThreadPool& pool);

}  // namespace warpseq
