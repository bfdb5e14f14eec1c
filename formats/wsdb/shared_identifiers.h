// Finds the sequences of a set whose identifier a new sequence also has.
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

    std::uint64_t sequences = 0;        // of the new database that share an identifier with the volumes
    std::vector<std::string> examples;  // the first such identifiers in input order, each once
};

/// Looks for the identifiers of a new database in the volumes of a set. Only the first identifier
/// of a header is compared. Identifiers that were made up for records without one are skipped, and
/// so are removed sequences. If `found` is not null, it has a set of ranks for each volume; the
/// ranks of the sequences with one of the identifiers are added to it. The time grows with the
/// number of sequences of both, and does not depend on how many have the same identifier. Memory:
/// one bit for each sequence of a volume, and up to a quarter of `memory_bytes`, at least one
/// megabyte.
Result<SharedIdentifiers> find_shared_identifiers(const WsdbReader& reader, std::span<const WsdbSet::Volume> volumes,
                                                  const ThreadPool& pool, std::uint64_t memory_bytes,
                                                  std::vector<PositionSet>* found);

}  // namespace warpseq
