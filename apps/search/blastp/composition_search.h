// blastp's last stage with composition-based statistics: the HSPs of one query and one target once more, by scores adjusted to the two
// compositions (libcore/composition_adjustment.h).
//
// The target is masked by SEG first (window 10, 1.8 and 2.1 bits), unless its first HSP is nearly identical to the query; so a pair
// may be adjusted twice, where HSPs differ in whether they are good enough to ask. Each HSP is extended again from its seed, and kept if
// what came before does not hold it, or share an end with it, at a higher score. E-values are those of the adjusted scores; what is
// reported as the score is rounded.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/search/blastp/blastp_query.h"
#include "apps/search/blastp/hsp.h"
#include "kernels/gapped_extension.h"
#include "libcore/composition_adjustment.h"

namespace warpseq {

/// One per thread: it owns scratch memory. References outlive it.
class CompositionSearcher {
   public:
    /// parameters.adjuster is there.
    CompositionSearcher(const BlastpParameters& parameters, const SearchSpace& space);

    /// As PairSearcher::trace_back().
    std::vector<Hsp> trace_back(const BlastpQuery& query, std::span<const ResidueCode> target,
                                std::span<const Hsp> preliminary);

   private:
    bool may_be_near_identical(const BlastpQuery& query, const Hsp& hsp) const;

    const BlastpParameters& parameters_;
    SearchSpace space_;
    GappedExtender extender_;
    PairScores scores_;
    double lambda_;  // per unit of adjusted scores
    int x_drop_;
    std::vector<ResidueCode> query_, target_;
};

}  // namespace warpseq
