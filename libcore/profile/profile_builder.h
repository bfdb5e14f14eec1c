// A profile HMM from a multiple alignment, as HMMER 3.3.2 builds it: the same bits.
//
//   1 relative weights of the rows                          libcore/profile/sequence_weights.h
//   2 rows with few residues become fragments               libcore/profile/aligned_rows.h
//   3 columns that become nodes; each row's path; counts    libcore/profile/profile_counts.h, row_trace.h
//   4 effective number of sequences: counts are scaled      here
//   5 probabilities under a prior                           libcore/profile/profile_parameters.h, dirichlet_prior.h
//   6 names, cutoffs, annotation
//
// Between build_profile() and finish_profile() comes calibration (engines/hmm/calibration.h), which
// HMMER does before it forces what finish_profile() forces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/base/status.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/profile/row_trace.h"
#include "libcore/profile/trace_step.h"
#include "libcore/sequence/multiple_alignment.h"

namespace warpseq {

enum class ModelArchitecture : std::uint8_t {
    kOccupancy,  // columns with enough residues: ProfileBuildSettings::least_residues
    kReference,  // columns that the alignment's reference line has something for
};

enum class RelativeWeighting : std::uint8_t {
    kPositionBased,
    kTree,      // Gerstein, Sonnhammer and Chothia
    kClusters,  // BLOSUM's, at ProfileBuildSettings::weighting_identity
    kNone,      // 1 for every row
    kGiven,     // those of the alignment; 1 for a row without
};

enum class EffectiveNumber : std::uint8_t {
    kEntropy,  // scaled so that the mean relative entropy of a node is what the settings say, if there are enough
    kEntropyExponent,  // the same by an exponent, with which well filled columns lose more
    kClusters,         // single linkage clusters at ProfileBuildSettings::cluster_identity
    kNone,             // as many as there are rows
    kGiven,            // ProfileBuildSettings::effective_sequences
};

enum class PriorChoice : std::uint8_t { kProteins, kLaplace, kNone };

/// The defaults are hmmbuild's, and jackhmmer's.
struct ProfileBuildSettings {
    ModelArchitecture architecture = ModelArchitecture::kOccupancy;
    float least_residues = 0.5f;      // of the weight in a column, 0 to 1
    float most_fragment_fill = 0.5f;  // rows with residues in at most this part of the columns are fragments, 0 to 1

    RelativeWeighting weighting = RelativeWeighting::kPositionBased;
    double weighting_identity = 0.62;  // 0 to 1

    EffectiveNumber effective_number = EffectiveNumber::kEntropy;
    double node_entropy_bits = 0.59;   // the least aim of entropy weighting; above 0
    double model_entropy_bits = 45.0;  // what short models shall have as a whole; above 0
    double cluster_identity = 0.62;    // 0 to 1
    double effective_sequences = 1;    // 0 or more

    PriorChoice prior = PriorChoice::kProteins;

    /// Inserts are counted as if their mean length were at most this.
    std::optional<int> longest_insert = {};
    /// Instead of what was estimated, behind every node.
    std::optional<double> gap_open = {}, gap_extend = {};  // 0 to below 0.5, 0 to below 1

    bool keep_row_traces = false;  // fills BuiltProfile::row_traces
};

struct BuiltProfile {
    ProfileHmm hmm;  // without statistics
    std::size_t sequences = 0, columns = 0;
    std::vector<double> weights;         // relative, of the rows
    bool is_weighted = false;            // false: a single row, or weights of 1 that nobody computed or gave
    std::vector<bool> is_match;          // for each column whether it is a node
    std::vector<TraceStep> first_trace;  // of the first row
    std::vector<RowTrace> row_traces;
    AlignedRows rows;  // as they were counted: fragments marked, masked columns X; empty unless traces are kept
};

/// Needs the alignment's name, which becomes the profile's. What a profile cannot be made of is an
/// error that names the alignment: no consensus columns, no reference line where one is asked for,
/// missing data within a row, weights below 0 or too great, an entropy that cannot be met.
Result<BuiltProfile> build_profile(const MultipleAlignment& alignment, const ProfileBuildSettings& settings);

/// To do after calibration: residues of masked nodes become background, given gap probabilities are
/// set.
void finish_profile(ProfileHmm& hmm, const ProfileBuildSettings& settings);

}  // namespace warpseq
