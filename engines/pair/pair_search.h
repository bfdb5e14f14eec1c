// Aligning many pairs, or a long one, on the devices that there are. Results come in the order of the pairs, and are
// the same on every device, with any number of threads and any amount of memory.
//
// One pair of long sequences is swept by all threads of the host, or by the GPUs, and so are the blocks that its path
// is traced back through. Of many short pairs each thread of the host takes one at a time; GPUs sweep some thousands in
// one call, and the host's threads trace those back while the next ones are swept. Of both strands the better one alone
// is traced back.
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
#include "engines/pair/pair_result.h"
#include "engines/search_control.h"
#include "engines/session.h"
#include "kernels/pair/pair_alignment.h"
#include "kernels/pair/pair_sweep.h"
#include "libcore/base/status.h"

namespace warpseq {

struct PairSearchSettings {
    bool local = false;
    FreeEnds free_ends;
    PairStrand strand = PairStrand::kPlus;
    bool score_only = false;
    std::uint64_t memory_bytes = std::uint64_t{1} << 30;   // of the host, for lines of matrices
    std::optional<std::filesystem::path> checkpoint_file;  // of a single pair, one strand
};

struct PairSearchCounts {
    std::uint64_t pairs = 0, swept_alone = 0;
    std::uint64_t cells = 0;   // of all matrices, both strands
    double sweep_seconds = 0;  // of matrices of long pairs, and of groups on GPUs
    /// What came after, not hidden behind sweeps; of pairs that a thread takes whole, everything.
    double finish_seconds = 0;
};

class PairSearch {
   public:
    /// On the session's devices; what databases it has does not matter. References outlive the search.
    PairSearch(const Session& session, const PairInput& input, const ScoringScheme& scheme,
               const PairSearchSettings& settings, const SearchControl& control);
    ~PairSearch();

    /// Gives every pair's result to `report`, one at a time, from one thread or another. Ends with the first error.
    Status run(const std::function<Status(const PairResult&)>& report);

    const PairSearchCounts& counts() const;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
