// blastp's last stage by Smith-Waterman (-use_sw_tback): instead of extending each HSP from its
// seed, the best local alignments of query and target.
//
// Scores are the matrix's own or, with composition-based statistics, those adjusted once for the
// pair, by its first HSP (engines/composition/adjusted_pair.h). The best alignment is found; if it
// is significant, and the pair had several preliminary HSPs, the best one without its pairs, and so
// on. Significant is here K exp(-lambda S) times the effective search space below the E-value
// limit; then E-values have the finite-size correction as ever. Each path is that of an extension
// with an X-drop from the alignment's begin, within its ends; the X-drop is doubled up to twice
// where the score is not reached.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "engines/blastp/blastp_query.h"
#include "engines/blastp/hsp.h"
#include "engines/composition/adjusted_pair.h"
#include "kernels/seeds/gapped_extension.h"

namespace warpseq {

/// One per thread: it owns scratch memory. References outlive it.
class SmithWatermanSearcher {
   public:
    /// `stop` as PairSearcher's.
    SmithWatermanSearcher(const BlastpParameters& parameters, const SearchSpace& space, std::stop_token stop);

    /// As PairSearcher::trace_back().
    std::vector<Hsp> trace_back(const BlastpQuery& query, std::span<const ResidueCode> target,
                                std::span<const Hsp> preliminary);

   private:
    bool set_pair(const BlastpQuery& query, std::span<const ResidueCode> target, const Hsp& first);
    Hsp aligned(std::uint64_t query_begin, std::uint64_t query_last, std::uint64_t target_begin,
                std::uint64_t target_last, std::int32_t score);

    const BlastpParameters& parameters_;
    SearchSpace space_;
    GappedExtender extender_;
    std::optional<AdjustedPair> pair_;  // with composition-based statistics
    PairScores scores_;                 // else
    double scale_;                      // of scores, to one raw unit
    int x_drop_;
    std::stop_token stop_;
    std::optional<CompositionAdjuster::Rule> rule_;
    std::vector<ResidueCode> query_, target_;  // as they are scored
};

}  // namespace warpseq
