// blastp's last stage with composition-based statistics. It aligns the HSPs of one query and one
// target again, by scores that are adjusted to the two compositions.
//
// The target is masked first, unless the pair is nearly identical by its first HSP
// (engines/composition/adjusted_pair.h). The pair is adjusted again if the next HSP differs from
// the one before in whether it is good enough for this test. Each HSP is extended again from its
// seed. It is kept unless an earlier HSP with a higher score contains it or shares an end with it.
// E-values are computed from the adjusted scores. The reported score is rounded to raw units.
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

/// A searcher. It owns scratch memory and is used by one thread. References have to outlive it.
class CompositionSearcher {
   public:
    /// Makes a searcher. `parameters` need an adjuster. `stop` is used as in PairSearcher.
    CompositionSearcher(const BlastpParameters& parameters, const SearchSpace& space, std::stop_token stop);

    /// Returns the final HSPs, as PairSearcher::trace_back() does.
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
