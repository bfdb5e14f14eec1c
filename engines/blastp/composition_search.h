// blastp's last stage with composition-based statistics: the HSPs of one query and one target once
// more, by scores adjusted to the two compositions.
//
// The target is masked first, unless its first HSP is nearly identical to the query
// (engines/composition/adjusted_pair.h); so a pair may be adjusted twice, where HSPs differ in
// whether they are good enough to ask. Each HSP is extended again from its seed, and kept if what
// came before does not hold it, or share an end with it, at a higher score. E-values are those of
// the adjusted scores; what is reported as the score is rounded.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "engines/blastp/blastp_query.h"
#include "engines/blastp/hsp.h"
#include "engines/composition/adjusted_pair.h"
#include "kernels/seeds/gapped_extension.h"

namespace warpseq {

/// One per thread: it owns scratch memory. References outlive it.
class CompositionSearcher {
   public:
    /// parameters.adjuster is there. `stop` as PairSearcher's.
    CompositionSearcher(const BlastpParameters& parameters, const SearchSpace& space, std::stop_token stop);

    /// As PairSearcher::trace_back().
    std::vector<Hsp> trace_back(const BlastpQuery& query, std::span<const ResidueCode> target,
                                std::span<const Hsp> preliminary);

   private:
    const BlastpParameters& parameters_;
    SearchSpace space_;
    GappedExtender extender_;
    AdjustedPair pair_;
    int x_drop_;
    std::stop_token stop_;
};

}  // namespace warpseq
