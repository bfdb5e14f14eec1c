// Aligning many pairs, or a long one, on the devices that there are. Results come in the order of
// the pairs, and are the same on every device, with any number of threads and any amount of memory.
//
// One pair of long sequences is swept by all threads of the host, or by the GPUs, and so are the
// blocks that its path is traced back through. Of many short pairs each thread of the host takes
// one at a time; GPUs sweep some thousands in one call, and the host's threads trace those back
// while the next ones are swept. Of both strands the better one alone is traced back.
//
// Of each pair the best alignment is found or, with LocalListSettings, all local ones that share no
// pair of residues, best first (kernels/pair/pair_islands.h): those of a long pair by GPUs and the
// host's threads, those of many short pairs by the host's threads, a pair each.
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

/// Local alignments of each pair that share no pair of residues, of both strands together if both
/// are aligned.
struct LocalListSettings {
    std::uint64_t max_alignments = 10;  // of a pair
    std::int64_t min_score_raw = 1;     // at least 1
};

struct PairSearchSettings {
    bool local = false;
    FreeEnds free_ends;
    PairStrand strand = PairStrand::kPlus;
    bool score_only = false;
    std::optional<LocalListSettings> list;                 // with local, without score_only and checkpoint_file
    std::uint64_t memory_bytes = std::uint64_t{1} << 30;   // of the host, for lines of matrices
    std::optional<std::filesystem::path> checkpoint_file;  // of a single pair, one strand
};

/// Of those that have been begun.
struct PairSearchCounts {
    std::uint64_t pairs = 0, swept_alone = 0;
    std::uint64_t cells = 0;   // of all matrices, both strands
    double sweep_seconds = 0;  // of matrices of long pairs, and of groups on GPUs
    /// What came after, not hidden behind sweeps; of pairs that a thread takes whole, everything.
    double finish_seconds = 0;
};

class PairSearch {
   public:
    /// On the session's devices; what databases it has does not matter. References outlive the
    /// search.
    PairSearch(const Session& session, const PairInput& input, const ScoringScheme& scheme,
               const PairSearchSettings& settings, const SearchControl& control);
    ~PairSearch();

    /// Gives every pair's result to `report`, or all results of its list, or one without an
    /// alignment if the list is empty; one at a time, from one thread or another. Ends with the
    /// first error.
    Status run(const std::function<Status(const PairResult&)>& report);
    /// The same of some pairs, range after range, as they are given: a range is asked for once all
    /// before it have been begun, while `report` may be at work for those. Shows no progress.
    Status run(const NextPairs& next, const std::function<Status(const PairResult&)>& report);

    const PairSearchCounts& counts() const;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
