// Many names looked up in a database: which of its sequences may have one of them, and their
// headers.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "formats/io/position_set.h"
#include "formats/wsdb/wsdb_reader.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// Ranks of the sequences for which the index of names has one of these hashes (checksum_of() of
/// index_name_of()), which ascend. A bit of memory for each sequence.
Result<PositionSet> find_candidates(std::span<const std::uint64_t> hashes, const WsdbReader& reader,
                                    const ThreadPool& pool);

/// Calls `use` with the header of each of these sequences, by several threads at once: `thread` is
/// below pool.threads(). Each block of headers is decoded once or, where threads meet in it, a few
/// times.
Status for_each_header(const PositionSet& ranks, const WsdbReader& reader, const ThreadPool& pool,
                       const std::function<Status(std::uint64_t rank, std::string_view header, unsigned thread)>& use);

}  // namespace warpseq
