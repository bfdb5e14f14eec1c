// Sequences of a set that have the identifier of a new one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/io/position_set.h"
#include "formats/wsdb/wsdb_reader.h"
#include "formats/wsdb/wsdb_set.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

struct SharedIdentifiers {
    static constexpr std::size_t kMostExamples = 3;

    std::uint64_t sequences = 0;        // of the new database whose identifier a sequence of the volumes has
    std::vector<std::string> examples;  // the first such identifiers in input order, each once
};

/// Looks for the identifiers of a new database, first of all in headers, in the volumes of a set.
/// Identifiers that were made up for records without one are passed over. Where `found` is not null
/// it has a set of ranks for each volume, to which those are added that have one of the
/// identifiers, but for removed sequences. The time grows with the number of sequences of both,
/// however many have the same identifier. Memory: a bit for each sequence of a volume, and up to a
/// quarter of `memory_bytes`, one megabyte at least.
Result<SharedIdentifiers> find_shared_identifiers(const WsdbReader& reader, std::span<const WsdbSet::Volume> volumes,
                                                  const ThreadPool& pool, std::uint64_t memory_bytes,
                                                  std::vector<PositionSet>* found);

}  // namespace warpseq
