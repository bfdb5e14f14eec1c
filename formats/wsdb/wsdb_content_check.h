// The content of a database for who validates: tiles and headers, and what follows from all of them
// together.
//
// Content is checked in jobs of consecutive tiles and their headers, each by one thread. What they
// found is put together in the order of the database, so that the first fault is the same with any
// number of threads; so is the content digest, which has to be hashed from its beginning to its
// end. Nobody waits for all others (formats/io/ordered_stages.h).
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
    std::uint64_t names = 0;      // in all headers, as the index has them
    std::uint64_t names_sum = 0;  // of mixed() of what the index should have
    std::array<std::uint8_t, 16> digest{};
};

struct WsdbContentOptions {
    bool has_sound_taxids = false;  // those of each header are checked, too
    /// How much a job is, in residues; a sequence counts as 400.
    std::uint64_t job_residues = std::uint64_t{16} << 20;
    std::function<void(std::uint64_t done_tiles, std::uint64_t total_tiles)> on_progress;  // by one thread at a time
};

/// The columns by sequence and the indexes must have been found sound. Faults go to `faults`; the
/// summary is of use only where there are none. Errors are of this machine. Memory: 24 bytes for
/// each sequence of the jobs on their way, two for each thread.
Result<WsdbContentSummary> check_wsdb_content(const WsdbReader::Map& map, const ThreadPool& pool,
                                              const WsdbContentOptions& options, WsdbFaults& faults);

/// Whether the content of a database is what the digest of its header says; an error that names the
/// first fault where it is not. Reads all of lengths, indexes, residues and headers. Memory as
/// above.
Status check_wsdb_digest(const WsdbReader& reader, const ThreadPool& pool,
                         const std::function<void(std::uint64_t done_tiles, std::uint64_t total_tiles)>& on_progress);

}  // namespace warpseq
