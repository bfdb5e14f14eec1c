// Draws a domain's alignment with the model as lines of text, laid out as by HMMER 3:
//
//              HHHHHHTT..S            CS
//              xxxxxxxx..x            RF
//   globins4 1 vlsaaeka..k 9
//              v+s+ ek+  k
//        hba 5 VHSPDEKTvaK 15
//              799*****99*            PP
//
// The lines, from top to bottom, show:
//
//   CS        structure of the model, if the profile has it
//   RF        reference annotation, if the profile has it
//   model     consensus, with '.' in inserts
//   match     letters that are equal in model and target, '+' if the residue's odds are above 1
//   target    upper case in match states, lower case in insert states, '-' in deletes
//   PP        posterior probability, with 0 below 0.05, ... 9 below 0.95, * from there, and '.' in
//             deletes
//
// Every domain begins and ends with a match state.
#pragma once

#include <string>
#include <string_view>

#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_model.h"

namespace warpseq {

/// The lines of a drawing, with one character for each step of the domain's trace. `structure` and
/// `reference` are empty if the profile has none.
struct HmmAlignmentLines {
    std::string structure, reference, model, match, target, posterior;
};

/// Returns the lines for `domain`, a domain of `model`.
HmmAlignmentLines draw_alignment(const HmmModel& model, const HmmDomain& domain);

/// Appends the lines in blocks, with names and coordinates at the sides. A block is at most
/// `text_width` wide, but has at least 40 columns of alignment. With a `text_width` of 0 there is
/// one block of any width.
void append_alignment(const HmmAlignmentLines& lines, const HmmDomain& domain, std::string_view model_name,
                      std::string_view target_name, int text_width, std::string& out);

}  // namespace warpseq
