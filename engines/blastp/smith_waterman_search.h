// blastp's last stage with Smith-Waterman (-use_sw_tback). It finds the best local alignments of
// query and target instead of extending each HSP from its seed.
//
// Scores are the matrix's own. With composition-based statistics they are adjusted once for the
// pair, by its first HSP (engines/composition/adjusted_pair.h). The search finds the best
// alignment. If it is significant and the pair had several preliminary HSPs, the search forbids its
// pairs of residues and finds the next best alignment, and so on. An alignment is significant here
// if K exp(-lambda S) times the effective search space is below the E-value limit. Reported
// E-values have the usual finite-size correction. The path of an alignment is found by an extension
// with an X-drop from the alignment's begin, within its ends. If the extension does not reach the
// alignment's score, the X-drop is doubled, up to twice.
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

/// A searcher. It owns scratch memory and is used by one thread. References have to outlive it.
class SmithWatermanSearcher {
   public:
    /// Makes a searcher. `stop` is used as in PairSearcher.
    SmithWatermanSearcher(const BlastpParameters& parameters, const SearchSpace& space, std::stop_token stop);

    /// Returns the final HSPs, as PairSearcher::trace_back() does.
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
    PairScores scores_;                 // without them
    double scale_;                      // units of the scores per raw unit
    int x_drop_;
    std::stop_token stop_;
    std::optional<CompositionAdjuster::Rule> rule_;
    std::vector<ResidueCode> query_, target_;  // residues as they are scored
};

}  // namespace warpseq
