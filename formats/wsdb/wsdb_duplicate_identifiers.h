// Counts sequences with the identifier of another sequence. The index of names shows where to look.
#pragma once

#include <cstdint>

#include "formats/wsdb/wsdb_map.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// Returns how many sequences have an identifier that an earlier sequence has. The entries of the
/// index must be in ascending order. Only identifiers whose first name occurs more than once in the
/// index are compared, by 128-bit hashes. Each block of headers with repeated names is decoded at
/// most once for each million repeated names of the database. A damaged header is an error. Memory:
/// 40 bytes for each of a million repeated names, or for all names with one hash if those are more.
Result<std::uint64_t> count_duplicate_identifiers(const WsdbReader::Map& map, const ThreadPool& pool);

}  // namespace warpseq
