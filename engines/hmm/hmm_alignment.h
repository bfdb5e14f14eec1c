// The multiple alignment of all included domains of a report, by the model: a column for each node, and after it as many as the
// longest insert there needs.
//
// Residues in match columns are upper case and gaps there '-'; in insert columns lower case and '.'. Of an insert shorter than
// its columns the first half of the residues (rounded down) stands left, the rest right. Posterior probabilities are those of the
// domains' own alignments, one digit each; PP_cons is the mean over a column's residues of what the digits stand for.
#pragma once

#include <optional>

#include "engines/hmm/hmm_hit.h"
#include "formats/stockholm_writer.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// In order of the report, without an author; nothing where no domain is included. `report` has been finished (finish_report).
std::optional<MultipleAlignment> align_domains(const ProfileHmm& hmm, const HmmReport& report);

}  // namespace warpseq
