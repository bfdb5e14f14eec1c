// Who has the identifier of another sequence, found through the index of names.
#pragma once

#include <cstdint>

#include "formats/wsdb/wsdb_map.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// How many sequences have an identifier that an earlier one has. Identifiers are compared by
/// 128-bit hashes, where the index has their first name more than once; each block of headers with
/// such names is decoded once, or again for each million of them. For an index whose entries
/// ascend. Errors: a damaged header. Memory: 40 bytes for each of a million names that are there
/// more than once, or for as many as are the same.
Result<std::uint64_t> count_duplicate_identifiers(const WsdbReader::Map& map, const ThreadPool& pool);

}  // namespace warpseq
