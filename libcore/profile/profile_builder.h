// Builds a profile HMM from a multiple alignment, with the same bits as HMMER 3.3.2.
//
//   1 relative weights of the rows                 sequence_weights.h
//   2 rows with few residues become fragments      aligned_rows.h
//   3 columns that become nodes; each row's path;
//     counts                                       profile_counts.h, row_trace.h
//   4 effective number of sequences: counts are
//     scaled                                       effective_number.h
//   5 probabilities under a prior                  profile_parameters.h, dirichlet_prior.h
//   6 names, cutoffs, annotation                   here
//
// Calibration (engines/hmm/calibration.h) comes between build_profile() and finish_profile().
// HMMER, too, calibrates before it sets the values that finish_profile() sets.
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
    kOccupancy,  // columns with at least ProfileBuildSettings::least_residues
    kReference,  // columns in which the alignment's reference line has no gap
};

enum class RelativeWeighting : std::uint8_t {
    kPositionBased,
    kTree,      // Gerstein, Sonnhammer and Chothia
    kClusters,  // BLOSUM's clusters, at ProfileBuildSettings::weighting_identity
    kNone,      // a weight of 1 for every row
    kGiven,     // the alignment's weights; 1 for a row without one
};

enum class EffectiveNumber : std::uint8_t {
    kEntropy,          // scaled down to the mean relative entropy per node that is asked for, if the rows have more
    kEntropyExponent,  // the same by an exponent, so that columns with more residues lose more
    kClusters,         // single linkage clusters at ProfileBuildSettings::cluster_identity
    kNone,             // the number of rows
    kGiven,            // ProfileBuildSettings::effective_sequences
};

enum class PriorChoice : std::uint8_t { kProteins, kLaplace, kNone };

/// Settings for build_profile(). The defaults are those of hmmbuild and jackhmmer.
struct ProfileBuildSettings {
    ModelArchitecture architecture = ModelArchitecture::kOccupancy;
    float least_residues = 0.5f;      // a column becomes a node if residues have this share of its weight, 0 to 1
    float most_fragment_fill = 0.5f;  // a row with residues in at most this share of the columns is a fragment, 0 to 1

    RelativeWeighting weighting = RelativeWeighting::kPositionBased;
    double weighting_identity = 0.62;  // 0 to 1

    EffectiveNumber effective_number = EffectiveNumber::kEntropy;
    double node_entropy_bits = 0.59;   // least target for the mean relative entropy per node; above 0
    double model_entropy_bits = 45.0;  // a short model of M nodes aims at this plus log2(M (M + 1) / 2); above 0
    double cluster_identity = 0.62;    // 0 to 1
    double effective_sequences = 1;    // 0 or more

    PriorChoice prior = PriorChoice::kProteins;

    /// The limit of the mean length of inserts. At each node, at most this many insert-insert
    /// transitions are counted for each insert that is opened. Nodes 0 and M have no limit, as in
    /// HMMER.
    std::optional<int> longest_insert = {};
    /// The gap probabilities that finish_profile() sets at every node in place of the estimated
    /// ones.
    std::optional<double> gap_open = {}, gap_extend = {};  // 0 to below 0.5, 0 to below 1

    bool keep_row_traces = false;  // fills BuiltProfile::row_traces
};

struct BuiltProfile {
    ProfileHmm hmm;  // without statistics
    std::size_t sequences = 0, columns = 0;
    std::vector<double> weights;         // relative weights of the rows
    bool is_weighted = false;            // false: a single row, or weights of 1 that were not computed or given
    std::vector<bool> is_match;          // whether each column is a node
    std::vector<TraceStep> first_trace;  // the path of the first row
    std::vector<RowTrace> row_traces;
    AlignedRows rows;  // rows as they were counted: fragments marked, masked columns X; empty unless traces are kept
};

/// Builds a profile. The alignment must have a name, which becomes the profile's. Returns an error
/// if no profile can be made of the alignment. The causes are no consensus columns, no reference
/// line although the settings ask for it, missing data within a row, weights below 0 or too great
/// for floats, and an entropy that cannot be reached.
Result<BuiltProfile> build_profile(const MultipleAlignment& alignment, const ProfileBuildSettings& settings);

/// Finishes a profile after calibration. Residues of masked nodes become background, and the gap
/// probabilities of the settings are set.
void finish_profile(ProfileHmm& hmm, const ProfileBuildSettings& settings);

}  // namespace warpseq
