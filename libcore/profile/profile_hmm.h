// A profile HMM in probabilities, as a file holds it (Plan 7: match, insert and delete states of
// nodes 1..M).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// The transitions from node k. A match or insert state of k leads to k or k + 1, a delete state of
/// k to k + 1.
enum HmmTransition {
    kMatchMatch,
    kMatchInsert,
    kMatchDelete,
    kInsertMatch,
    kInsertInsert,
    kDeleteMatch,
    kDeleteDelete
};
inline constexpr int kHmmTransitions = 7;

/// A pair of bit score cutoffs that a curator gave a profile, for the whole sequence and for a
/// domain.
struct ScoreCutoffs {
    float sequence_bits = 0;
    float domain_bits = 0;
};

/// Parameters of score distributions (Eddy 2008) for scores in bits: Gumbel for MSV and Viterbi, an
/// exponential tail for Forward. If a profile has hardly any information, the locations of MSV and
/// Viterbi are -infinity, so that every score passes these filters.
struct HmmStatistics {
    float msv_mu = 0, msv_lambda = 0;
    float viterbi_mu = 0, viterbi_lambda = 0;
    float forward_tau = 0, forward_lambda = 0;
};

/// Whether lambdas are finite and above 0, and locations finite or -infinity where they may be.
bool are_usable(const HmmStatistics& statistics);

/// The frequency that HMMER 3 uses for each residue if a file gives no composition, as in old
/// formats. The bias filter then explains a target by the background alone.
inline constexpr float kUnknownComposition = 0;

/// A profile HMM of proteins. All emissions and transitions are probabilities in 32-bit floats.
struct ProfileHmm {
    using Residues = std::array<float, kAminoAcids>;
    using Transitions = std::array<float, kHmmTransitions>;

    std::string name;
    std::string accession, description;  // empty: none
    int length = 0;                      // match states, M >= 1

    // Indexed by node 0..M. Node 0 is the begin state. transitions[0] leads from it to M1, I0 and
    // D1, and match[0] is unused. transitions[M] leads to the end.
    std::vector<Transitions> transitions;
    std::vector<Residues> match;
    std::vector<Residues> insert;
    Residues composition{};  // mean residue composition of the model (COMPO); kUnknownComposition if not known

    // The annotation of nodes 1..M, one letter each (letter k - 1 is node k's). All but the
    // consensus may be empty, which means that there is none.
    std::string consensus;
    std::string reference;  // RF
    std::string mask;       // MM
    std::string structure;  // CS
    std::vector<int> map;   // alignment column of each node, from 1; empty: none

    std::optional<ScoreCutoffs> gathering, trusted, noise;  // GA, TC, NC
    std::optional<HmmStatistics> statistics;
    /// Whether the file has no statistics of use, because it is HMMER2's. HMMER 3 calibrates such a
    /// profile when it reads it (engines/hmm/hmmer2_calibration.h).
    bool calibrate_on_reading = false;
    std::optional<int> sequences;              // NSEQ
    std::optional<float> effective_sequences;  // EFFN
    std::optional<std::uint32_t> checksum;
    std::optional<int> longest_instance;  // MAXL

    std::string date;                   // DATE; empty: none
    std::vector<std::string> commands;  // COM: commands that made the profile, in order
};

/// Returns the probability that a path from the begin state through the core model visits match
/// state k, for k = 0..M (0 for k = 0). Computed in 32-bit floats, node by node.
std::vector<float> match_occupancy(const ProfileHmm& hmm);

/// Whether any match state can be entered. Nothing aligns to a profile without one.
bool can_be_entered(const ProfileHmm& hmm);

/// Returns the likeliest residue of each match state, in upper case where its probability is at
/// least 0.5.
std::string consensus_of(const ProfileHmm& hmm);

/// Returns the mean residue composition over match and insert states, weighted by how often each is
/// visited.
ProfileHmm::Residues composition_of(const ProfileHmm& hmm);

}  // namespace warpseq
