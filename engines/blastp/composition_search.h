// blastp's last stage with composition-based statistics: aligns the HSPs of one query and one
// target again, by scores adjusted to the two compositions.
//
// The target is masked first, unless its first HSP is nearly identical to the query
// (engines/composition/adjusted_pair.h). A pair may be adjusted twice if its HSPs differ in whether
// they are good enough for that test. Each HSP is extended again from its seed. It is kept unless
// an earlier HSP with a higher score holds it or shares an end with it. E-values are those of the
// adjusted scores; the reported score is rounded.
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

/// Searcher for one thread: it owns scratch memory. References have to outlive it.
class CompositionSearcher {
   public:
    /// `parameters` have an adjuster. `stop` is used as in PairSearcher.
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
