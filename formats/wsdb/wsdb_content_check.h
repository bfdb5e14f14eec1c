// Checks the content of a database for the validator: tiles and headers, and the values that are
// derived from all of them together.
//
// Content is checked in jobs of consecutive tiles and their headers, each by one thread. The
// findings are put together in the order of the database, so the first fault is the same with any
// number of threads. The content digest is computed in that order, too, because it is hashed from
// beginning to end. No thread waits for all others (formats/io/ordered_stages.h).
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "formats/wsdb/wsdb_faults.h"
#include "formats/wsdb/wsdb_map.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

struct WsdbContentSummary {
    std::array<std::uint64_t, kResidueTableSize> composition{};  // by residue code
    std::uint64_t header_bytes = 0;
    std::uint64_t header_blocks = 0;
    std::uint64_t names = 0;      // number of names in all headers, as the index should have them
    std::uint64_t names_sum = 0;  // sum of mixed() of the entries that the index should have
    std::array<std::uint8_t, 16> digest{};
};

struct WsdbContentOptions {
    bool has_sound_taxids = false;  // TAXIDS is sound, so each header's number of taxonomy IDs is checked
    /// The size of a job in residues. A sequence counts as 400 in addition to its residues.
    std::uint64_t job_residues = std::uint64_t{16} << 20;
    std::function<void(std::uint64_t done_tiles, std::uint64_t total_tiles)> on_progress;  // by one thread at a time
};

/// Checks the content. The columns with one number per sequence and the indexes must have been
/// found sound before. Faults go to `faults`. The summary is meaningful only if there are none. An
/// error Status means a failure of this machine, not of the file. Memory: 24 bytes for each
/// sequence of the jobs in progress, of which there are two for each thread.
Result<WsdbContentSummary> check_wsdb_content(const WsdbReader::Map& map, const ThreadPool& pool,
                                              const WsdbContentOptions& options, WsdbFaults& faults);

/// Checks that the content of a database matches the digest in its header. Returns an error that
/// names the first fault if it does not. Reads all lengths, indexes, residues and headers. It needs
/// the memory that check_wsdb_content() needs.
Status check_wsdb_digest(const WsdbReader& reader, const ThreadPool& pool,
                         const std::function<void(std::uint64_t done_tiles, std::uint64_t total_tiles)>& on_progress);

}  // namespace warpseq
