// The pair search: aligns many pairs, or a long one, on the devices that there are. Results come in
// the order of the pairs. They are the same on every device, with any number of threads and any
// amount of memory.
//
// A pair of long sequences has the machine to itself. All threads of the host, or all GPUs, sweep
// its matrix and the blocks that its path is traced back through. Of many short pairs, each thread
// of the host aligns one at a time. GPUs sweep some thousands of short pairs in one call, and the
// host's threads trace these back while the next ones are swept. If both strands are aligned, only
// the better one is traced back.
//
// The search finds the best alignment of each pair. With LocalListSettings it finds all local
// alignments that share no pair of residues, best first (kernels/pair/pair_islands.h). GPUs and the
// host's threads together make the list of a long pair. Of many short pairs, each thread of the
// host lists one at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engines/pair/pair_input.h"
#include "engines/pair/pair_mode.h"
#include "engines/pair/pair_ranges.h"
#include "engines/pair/pair_result.h"
#include "engines/search_control.h"
#include "engines/session.h"
#include "kernels/pair/pair_alignment.h"
#include "kernels/pair/pair_sweep.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Settings of a search that lists the local alignments of each pair that share no pair of
/// residues. If both strands are aligned, their alignments make one list.
struct LocalListSettings {
    std::uint64_t max_alignments = 10;  // of each pair
    std::int64_t min_score_raw = 1;     // at least 1
};

struct PairSearchSettings {
    bool local = false;
    FreeEnds free_ends;
    PairStrand strand = PairStrand::kPlus;
    bool score_only = false;
    std::optional<LocalListSettings> list;                 // only with local, without score_only and checkpoint_file
    std::uint64_t memory_bytes = std::uint64_t{1} << 30;   // most host memory for row and column checkpoints
    std::optional<std::filesystem::path> checkpoint_file;  // only for a single pair and one strand
};

/// Counts and times of the pairs that have been started.
struct PairSearchCounts {
    std::uint64_t pairs = 0, swept_alone = 0;
    std::uint64_t cells = 0;   // of all matrices, both strands
    double sweep_seconds = 0;  // of matrices of long pairs, and of groups on GPUs
    /// Time of the work after sweeps that does not overlap with a sweep. For pairs that a single
    /// thread aligns it includes their sweeps.
    double finish_seconds = 0;
};

class PairSearch {
   public:
    /// Makes a search that runs on the session's devices. The session's databases are not used.
    /// References have to outlive the search.
    PairSearch(const Session& session, const PairInput& input, const ScoringScheme& scheme,
               const PairSearchSettings& settings, const SearchControl& control);
    ~PairSearch();

    /// Aligns all pairs and passes each result to `report`. With settings.list it passes all
    /// results of a pair's list, or one result without an alignment if the list is empty. `report`
    /// is called for one result at a time, but from different threads. The first error ends the
    /// search.
    Status run(const std::function<Status(const PairResult&)>& report);
    /// Aligns ranges of pairs that `next` returns. Asks for a range when all pairs before it have
    /// been started, which may be before `report` has their results. Shows no progress.
    Status run(const NextPairs& next, const std::function<Status(const PairResult&)>& report);

    const PairSearchCounts& counts() const;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
