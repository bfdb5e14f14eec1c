// Options for substitution matrices and gap costs, alike in all engines that align residues by
// them.
#pragma once

#include <string>

#include "libcore/base/status.h"
#include "libcore/scoring/scoring.h"
#include "libcore/statistics/composition_adjustment.h"
#include "options/option_set.h"

namespace warpseq {

/// Adds --gap-open and --gap-extend to the group "Scoring"; `defaults` says in the help what they
/// are without.
void add_gap_options(OptionSet& options, const std::string& defaults);
/// Reads them back; a cost outside 0 .. kHighestGapCost is a usage error.
Result<GapCosts> read_gap_costs(const OptionValues& parsed, GapCosts defaults);

/// blastp's names of modes, 0 to 3 and letters, as the value of `option`; others are a usage error.
Result<CompositionMode> read_composition_mode(const OptionValues& parsed, const std::string& option);

/// A built-in matrix by name, or a file in NCBI's format; neither is a usage error that lists the
/// names.
Result<SubstitutionMatrix> find_protein_matrix(const std::string& name);

}  // namespace warpseq
