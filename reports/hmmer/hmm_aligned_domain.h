// Presents the alignment of a domain with the profile's consensus as an alignment of two sequences,
// as other engines report them. The consensus is the query.
#pragma once

#include <string>

#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_model.h"
#include "libcore/scoring/alignment.h"
#include "reports/alignment_text.h"

namespace warpseq {

/// A domain's alignment. A residue is identical if it equals the consensus. It is positive if it is
/// identical or if its odds are above 1. The text report shows these residues by letters and by '+'
/// between its lines.
struct HmmAlignedDomain {
    Alignment alignment;  // its score is not set
    AlignmentCounts counts;
    AlignmentText text;     // in upper case
    std::string posterior;  // a letter for each column, '.' in gaps of the target (engines/hmm/posterior_letter.h)
};

/// Returns the alignment of `domain` with the consensus of `model`.
HmmAlignedDomain align_to_consensus(const HmmModel& model, const HmmDomain& domain);
/// Returns the alignment with query and target exchanged.
HmmAlignedDomain exchanged(HmmAlignedDomain aligned);

}  // namespace warpseq
