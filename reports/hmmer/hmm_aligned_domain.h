// A domain's alignment with the profile's consensus as other engines report alignments: the nodes
// are the query.
#pragma once

#include <string>

#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_model.h"
#include "libcore/scoring/alignment.h"
#include "reports/alignment_text.h"

namespace warpseq {

/// Identical is a residue that equals the consensus, positive one whose odds are above 1 besides:
/// the letters and the '+' between the lines of the text report.
struct HmmAlignedDomain {
    Alignment alignment;  // without a score
    AlignmentCounts counts;
    AlignmentText text;     // in upper case
    std::string posterior;  // a letter for each column, '.' in gaps of the target (engines/hmm/posterior_letter.h)
};

HmmAlignedDomain align_to_consensus(const HmmModel& model, const HmmDomain& domain);
/// The same with query and target exchanged.
HmmAlignedDomain exchanged(HmmAlignedDomain aligned);

}  // namespace warpseq
