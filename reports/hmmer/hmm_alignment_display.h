// A domain's alignment to the model as lines of text, laid out as HMMER 3 does:
//
//              HHHHHHTT..S            CS    structure of the model, where the profile has it
//              xxxxxxxx..x            RF    reference annotation, likewise
//   globins4 1 vlsaaeka..k 9                model: consensus, '.' in inserts
//              v+s+ ek+  k                  equal letters, '+' where the residue's odds are above 1
//        hba 5 VHSPDEKTvaK 15               target: upper case in match, lower case in insert states, '-' in deletes
//              799*****99*            PP    posterior probability: 0 below 0.05, ... 9 below 0.95, * from there; '.' in deletes
//
// Every domain begins and ends with a match state.
#pragma once

#include <string>
#include <string_view>

#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_model.h"

namespace warpseq {

/// One character per step of the domain's trace; structure and reference are empty where the
/// profile has none.
struct HmmAlignmentLines {
    std::string structure, reference, model, match, target, posterior;
};

HmmAlignmentLines draw_alignment(const HmmModel& model, const HmmDomain& domain);

/// Appends the lines in blocks no wider than `text_width` (0: one block, however wide), names and
/// coordinates at the sides, but with at least 40 columns of alignment.
void append_alignment(const HmmAlignmentLines& lines, const HmmDomain& domain, std::string_view model_name,
                      std::string_view target_name, int text_width, std::string& out);

}  // namespace warpseq
