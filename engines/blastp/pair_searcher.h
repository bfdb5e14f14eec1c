// blastp's two stages for one query and one target. The first finds preliminary HSPs from words and
// score-only extensions. The second traces them back to final HSPs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "engines/blastp/blastp_query.h"
#include "engines/blastp/composition_search.h"
#include "engines/blastp/hsp.h"
#include "engines/blastp/smith_waterman_search.h"
#include "kernels/seeds/gapped_extension.h"
#include "kernels/seeds/word_hits.h"

namespace warpseq {

/// A searcher. It owns scratch memory and is used by one thread. References have to outlive it.
class PairSearcher {
   public:
    /// Makes a searcher. Once `stop` is requested, its functions return soon with meaningless
    /// results.
    PairSearcher(const BlastpParameters& parameters, const SearchSpace& space, std::stop_token stop = {});

    /// Returns the preliminary HSPs in hsp_before()'s order, without those whose E-value is above
    /// the limit.
    std::vector<Hsp> find(const BlastpQuery& query, std::span<const ResidueCode> target);

    /// Extends the preliminary HSPs again, with a wider X-drop, and returns the final HSPs with
    /// their paths, in hsp_before()'s order. There are fewer of them if several become redundant.
    std::vector<Hsp> trace_back(const BlastpQuery& query, std::span<const ResidueCode> target,
                                std::span<const Hsp> preliminary);

   private:
    void drop_insignificant(const BlastpQuery& query, std::span<const ResidueCode> target, double evalue,
                            std::vector<Hsp>& hsps) const;
    std::vector<Hsp> ungapped_hsps(const BlastpQuery& query, std::span<const ResidueCode> target) const;
    bool extend_all(const BlastpQuery& query, std::span<const ResidueCode> target, bool restricted,
                    std::vector<Hsp>& hsps);

    const BlastpParameters& parameters_;
    SearchSpace space_;
    PairScores scores_;
    GappedExtender extender_;
    std::optional<CompositionSearcher> composition_;
    std::optional<SmithWatermanSearcher> smith_waterman_;
    WordHitWorkspace words_;
    std::vector<UngappedAlignment> ungapped_;
    HspSet seen_;
    std::stop_token stop_;
};

}  // namespace warpseq
