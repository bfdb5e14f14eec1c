// Looks up many names in a database: finds the sequences that may have one of them, and reads their
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

/// Returns the ranks of the sequences for which the index of names has one of these hashes. The
/// hash of a name is the checksum_of() of its index_name_of(). `hashes` must be in ascending order.
/// Memory: one bit for each sequence.
Result<PositionSet> find_candidates(std::span<const std::uint64_t> hashes, const WsdbReader& reader,
                                    const ThreadPool& pool);

/// Calls `use` with the header of each of these sequences, from several threads at the same time.
/// `thread` is below pool.threads(). Decodes each block of headers once, or a few times if several
/// threads need it.
Status for_each_header(const PositionSet& ranks, const WsdbReader& reader, const ThreadPool& pool,
                       const std::function<Status(std::uint64_t rank, std::string_view header, unsigned thread)>& use);

}  // namespace warpseq
