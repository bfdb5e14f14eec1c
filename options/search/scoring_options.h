// Options for substitution matrices and gap costs, shared by all engines that align residues.
#pragma once

#include <string>

#include "libcore/base/status.h"
#include "libcore/scoring/scoring.h"
#include "libcore/statistics/composition_adjustment.h"
#include "options/option_set.h"

namespace warpseq {

/// Adds --gap-open and --gap-extend to the group "Scoring". `defaults` is the help's text about
/// their defaults.
void add_gap_options(OptionSet& options, const std::string& defaults);
/// Returns the gap costs that the options state. `defaults` has the costs for options that were not
/// given. A cost outside 0 .. kHighestGapCost is a usage error.
Result<GapCosts> read_gap_costs(const OptionValues& parsed, GapCosts defaults);

/// Returns the composition mode that the value of `option` names. Its names are blastp's: 0 to 3,
/// and letters. Any other name is a usage error.
Result<CompositionMode> read_composition_mode(const OptionValues& parsed, const std::string& option);

/// Returns the built-in matrix of this name, or reads a file in NCBI's format. If there is neither,
/// the usage error lists the names.
Result<SubstitutionMatrix> find_protein_matrix(const std::string& name);

}  // namespace warpseq
