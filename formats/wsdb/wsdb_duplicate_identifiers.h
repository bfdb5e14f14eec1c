// Counts sequences with the identifier of another sequence, found through the index of names.
#pragma once

#include <cstdint>

#include "formats/wsdb/wsdb_map.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// Returns how many sequences have an identifier that an earlier sequence has. The entries of the
/// index must ascend. Identifiers are compared by 128-bit hashes if their first name occurs more
/// than once in the index. Each block of headers with repeated names is decoded once, or again for
/// each million of them. A damaged header is an error. Memory: 40 bytes for each of a million
/// repeated names, or for all names with one hash if those are more.
Result<std::uint64_t> count_duplicate_identifiers(const WsdbReader::Map& map, const ThreadPool& pool);

}  // namespace warpseq
