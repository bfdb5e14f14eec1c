// Sequences that a profile HMM emits: samples, and its consensus.
//
// Two models emit samples. The core model begins at node 0 and ends behind node M (CoreSampler).
// The search model (plan7_profile.h) surrounds alignments to the core model with background
// residues, and may align several times and to parts (SearchSampler). Random numbers are drawn in
// HMMER's order and probabilities have its widths, so equal seeds give hmmemit's sequences.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/linear_congruential.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/profile/trace_step.h"

namespace warpseq {

/// Draws one of the indices of `weights`, with probabilities proportional to the weights. Uses one
/// random number. Returns nothing if the sum of the weights is 0 or not a number.
std::optional<std::size_t> draw_index(LinearCongruential& random, std::span<const float> weights);

/// The most steps of a path through the core model. A path that is longer gives no sample, because
/// an insert state that hardly ever ends would fill the memory.
inline constexpr std::size_t kMostSampleSteps = std::size_t{1} << 26;

/// Whether the probabilities of `hmm` are sound. Those of each state have to add up to 1 within
/// 0.0001, and none may be above 1. No delete state may follow the last node, and the last delete
/// state has to lead to the end. HMMER samples from no other profile, but makes alignments of any.
bool is_sound(const ProfileHmm& hmm);

/// A sample of the core model. The posteriors of its trace are 0.
struct CoreSample {
    std::vector<ResidueCode> residues;  // may be empty
    std::vector<TraceStep> trace;
};

/// Draws a path through the core model, and a residue for each match and insert. Returns nothing if
/// a state on the path has no usable probabilities (draw_index()), if the last delete state leads
/// to another one, or if the path has more than `most_steps` steps.
std::optional<CoreSample> sample_core(const ProfileHmm& hmm, LinearCongruential& random,
                                      std::size_t most_steps = kMostSampleSteps);

/// The configuration of a search model.
struct SearchModel {
    bool is_local = true;  // whether alignments enter and leave at any node; otherwise they span all nodes
    bool is_multihit = true;
    std::int64_t expected_residues = 400;  // of a sequence, outside of alignments
};

/// A sampler of the search model of one profile. `hmm` has to outlive it. Immutable.
class SearchSampler {
   public:
    SearchSampler(const ProfileHmm& hmm, const SearchModel& model);

    /// Whether the probabilities to enter the model add up to 1 within 0.0001, and none is above 1.
    /// A model that is not local is not sound if its delete states alone can lead from begin to
    /// end, since an alignment has at least one match. Rounding makes some local models unsound in
    /// which alignments can begin at one node only. HMMER refuses all of these.
    bool is_sound() const { return is_sound_; }

    /// Draws a sequence. A local alignment begins at node k with the probability of the search
    /// model, and ends at one of the nodes from k to M with equal probabilities. Returns nothing if
    /// a state on the path has no usable probabilities, or if an alignment has more than
    /// kMostSampleSteps steps.
    std::optional<std::vector<ResidueCode>> sample(LinearCongruential& random) const;

   private:
    class Path;

    const ProfileHmm& hmm_;
    bool is_local_, is_sound_ = false;
    /// Weights of nodes 0..M for the begin of a local alignment. A weight is the probability to
    /// enter at k, times the number of ends. Empty if the model is not local.
    std::vector<float> begin_;
    std::array<float, 2> loop_;  // the probabilities of N, C and J to stay, and to move on
    std::array<float, 2> end_;   // the probabilities of E to go to J, and to C
};

/// Returns the likeliest residue of each match state, or X for a masked one.
std::vector<ResidueCode> majority_consensus(const ProfileHmm& hmm);

/// Returns a letter for each match state: 'x' if the state is masked or its likeliest residue has a
/// probability below `least_shown`, otherwise that residue, in upper case if its probability is at
/// least `least_upper`.
std::string graded_consensus(const ProfileHmm& hmm, float least_shown, float least_upper);

}  // namespace warpseq
