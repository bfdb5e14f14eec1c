#include "libcore/profile/profile_sampler.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "libcore/profile/plan7_profile.h"
#include "libcore/statistics/null_model.h"

namespace warpseq {

namespace {

/// Deviation of a sum of probabilities from 1 that HMMER tolerates.
constexpr double kTolerance = 0.0001;

/// Returns the float that a probability has become after it was stored as a score, a float as well.
/// Logarithm and exponential are in double, as in HMMER.
float by_way_of_score(float probability) {
    const auto score = static_cast<float>(std::log(static_cast<double>(probability)));
    return static_cast<float>(std::exp(static_cast<double>(score)));
}

/// Returns `count` transitions from a node, of which `first` is the first.
std::span<const float> transitions_of(const ProfileHmm& hmm, std::size_t node, HmmTransition first, std::size_t count) {
    return std::span<const float>(hmm.transitions[node]).subspan(static_cast<std::size_t>(first), count);
}

/// Whether a number is a probability. False for NaN.
bool is_probability(double number) { return number >= 0 && number <= 1; }

/// Whether all numbers are probabilities whose sum, in a float, is 1 within the tolerance.
bool add_up(std::span<const float> probabilities) {
    float sum = 0;
    for (const float probability : probabilities) sum += probability;
    return std::ranges::all_of(probabilities, is_probability) && std::abs(static_cast<double>(sum) - 1) <= kTolerance;
}

/// Returns the probability that a local alignment begins at each node 1..M. An alignment from k has
/// M - k + 1 possible ends.
std::vector<double> local_entries(const ProfileHmm& hmm) {
    std::vector<double> entries;
    auto ends = static_cast<double>(hmm.length);
    for (const float score : entry_scores(hmm)) {
        entries.push_back(std::exp(static_cast<double>(score)) * ends);
        ends -= 1;
    }
    return entries;
}

/// Returns the probability that the first match of an alignment of all nodes is at node 1..M. The
/// nodes before it are deleted. HMMER stores each probability as a score, a float.
std::vector<double> entries_through_deletes(const ProfileHmm& hmm) {
    const double first_delete = static_cast<double>(hmm.transitions[0][kMatchDelete]);
    std::vector<float> scores = {static_cast<float>(std::log(1 - first_delete))};
    auto deletes = static_cast<float>(std::log(first_delete));
    for (std::size_t k = 1; k < static_cast<std::size_t>(hmm.length); ++k) {
        const ProfileHmm::Transitions& from = hmm.transitions[k];
        const auto add = [&](HmmTransition transition) {
            return static_cast<float>(static_cast<double>(deletes) + std::log(static_cast<double>(from[transition])));
        };
        scores.push_back(add(kDeleteMatch));
        deletes = add(kDeleteDelete);
    }
    std::vector<double> entries;
    for (const float score : scores) entries.push_back(std::exp(static_cast<double>(score)));
    return entries;
}

bool is_masked(const ProfileHmm& hmm, std::size_t node) { return !hmm.mask.empty() && hmm.mask[node - 1] == 'm'; }

/// The states in the order of a match state's transitions.
constexpr TraceState kNextStates[] = {TraceState::kMatch, TraceState::kInsert, TraceState::kDelete};

/// A place in the core model.
struct CorePlace {
    TraceState state = TraceState::kMatch;  // at node 0: begin, whose transitions are those of a match
    std::size_t node = 0;
};

/// Moves on to the state that a random number chooses. Returns false if none can be chosen.
bool move_on(const ProfileHmm& hmm, LinearCongruential& random, CorePlace& place) {
    std::optional<std::size_t> drawn;
    switch (place.state) {
        case TraceState::kMatch:
            drawn = draw_index(random, transitions_of(hmm, place.node, kMatchMatch, 3));
            if (drawn) place.state = kNextStates[*drawn];
            break;
        case TraceState::kInsert:
            drawn = draw_index(random, transitions_of(hmm, place.node, kInsertMatch, 2));
            if (drawn) place.state = *drawn == 0 ? TraceState::kMatch : TraceState::kInsert;
            break;
        case TraceState::kDelete:
            drawn = draw_index(random, transitions_of(hmm, place.node, kDeleteMatch, 2));
            if (drawn) place.state = *drawn == 0 ? TraceState::kMatch : TraceState::kDelete;
            break;
    }
    if (place.state != TraceState::kInsert) ++place.node;
    return drawn.has_value();
}

/// Draws the residue of a place and appends it. A delete state has none. Returns false if no
/// residue can be chosen.
bool emit(const ProfileHmm& hmm, LinearCongruential& random, const CorePlace& place,
          std::vector<ResidueCode>& residues) {
    if (place.state == TraceState::kDelete) return true;
    const auto residue =
        draw_index(random, place.state == TraceState::kMatch ? hmm.match[place.node] : hmm.insert[place.node]);
    if (residue) residues.push_back(static_cast<ResidueCode>(*residue));
    return residue.has_value();
}

}  // namespace

std::optional<std::size_t> draw_index(LinearCongruential& random, std::span<const float> weights) {
    const double roll = random.uniform();
    double total = 0, sum = 0;
    for (const float weight : weights) total += weight;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        sum += weights[i];
        if (roll < sum / total) return i;
    }
    return std::nullopt;
}

bool is_sound(const ProfileHmm& hmm) {
    const auto nodes = static_cast<std::size_t>(hmm.length);
    for (std::size_t k = 0; k <= nodes; ++k) {
        const bool adds_up = (k == 0 || add_up(hmm.match[k])) && add_up(hmm.insert[k]) &&
                             add_up(transitions_of(hmm, k, kMatchMatch, 3)) &&
                             add_up(transitions_of(hmm, k, kInsertMatch, 2)) &&
                             add_up(transitions_of(hmm, k, kDeleteMatch, 2));
        if (!adds_up) return false;
    }
    const ProfileHmm::Transitions& last = hmm.transitions[nodes];
    return last[kMatchDelete] == 0 && last[kDeleteMatch] == 1 && last[kDeleteDelete] == 0;
}

std::optional<CoreSample> sample_core(const ProfileHmm& hmm, LinearCongruential& random, std::size_t most_steps) {
    CoreSample sample;
    const auto nodes = static_cast<std::size_t>(hmm.length);
    for (CorePlace place;;) {
        if (!move_on(hmm, random, place)) return std::nullopt;
        if (place.node > nodes) {
            if (place.state != TraceState::kMatch) return std::nullopt;
            return sample;
        }
        if (sample.trace.size() == most_steps || !emit(hmm, random, place, sample.residues)) return std::nullopt;
        sample.trace.push_back({place.state, static_cast<std::int32_t>(place.node),
                                static_cast<std::int64_t>(sample.residues.size()), 0.0f});
    }
}

SearchSampler::SearchSampler(const ProfileHmm& hmm, const SearchModel& model) : hmm_(hmm), is_local_(model.is_local) {
    const std::vector<double> entries = is_local_ ? local_entries(hmm) : entries_through_deletes(hmm);
    double sum = 0;
    for (const double probability : entries) sum += probability;
    is_sound_ = std::ranges::all_of(entries, is_probability) && std::abs(sum - 1) <= kTolerance;
    if (is_local_) {
        begin_.push_back(0.0f);
        for (const double probability : entries) begin_.push_back(static_cast<float>(probability));
    }
    const auto hits = model.is_multihit ? 1.0f : 0.0f;
    const float move = (2.0f + hits) / (static_cast<float>(model.expected_residues) + 2.0f + hits);
    loop_ = {by_way_of_score(1.0f - move), by_way_of_score(move)};
    end_ = model.is_multihit ? std::array{by_way_of_score(0.5f), by_way_of_score(0.5f)} : std::array{0.0f, 1.0f};
}

/// A path through a search model while it is drawn, with the residues so far. After a function has
/// returned false, no more can be drawn.
class SearchSampler::Path {
   public:
    Path(const SearchSampler& sampler, LinearCongruential& random) : sampler_(sampler), random_(random) {}

    /// Draws the residues of N, C or J, and the transition that leaves it.
    bool flank() {
        for (;;) {
            const auto drawn = draw_index(random_, sampler_.loop_);
            if (!drawn) return false;
            if (*drawn == 1) return true;
            const auto residue = draw_index(random_, kBackgroundFrequencies);
            if (!residue) return false;
            residues_.push_back(static_cast<ResidueCode>(*residue));
        }
    }

    /// Draws an alignment to the core model.
    bool alignment() {
        const ProfileHmm& hmm = sampler_.hmm_;
        auto last = static_cast<std::size_t>(hmm.length);
        CorePlace place;
        if (sampler_.is_local_) {
            const auto first = draw_index(random_, sampler_.begin_);
            if (!first) return false;
            place.node = *first;
            last = *first + static_cast<std::size_t>(random_.uniform() * static_cast<double>(last - *first + 1));
        } else {
            if (!move_on(hmm, random_, place)) return false;
            // HMMER counts the first delete as that of node 2.
            if (place.state == TraceState::kDelete) ++place.node;
        }
        for (std::size_t steps = 0;; ++steps) {
            if (place.node > last) return true;
            if (steps == kMostSampleSteps) return false;
            if (!emit(hmm, random_, place, residues_)) return false;
            if (place.node == last) return true;  // no insert follows the last node
            if (!move_on(hmm, random_, place)) return false;
        }
    }

    /// Draws whether another alignment follows. Returns nothing if neither can be chosen.
    std::optional<bool> another() {
        const auto drawn = draw_index(random_, sampler_.end_);
        if (!drawn) return std::nullopt;
        return *drawn == 0;
    }

    std::vector<ResidueCode> take_residues() { return std::move(residues_); }

   private:
    const SearchSampler& sampler_;
    LinearCongruential& random_;
    std::vector<ResidueCode> residues_;
};

std::optional<std::vector<ResidueCode>> SearchSampler::sample(LinearCongruential& random) const {
    Path path(*this, random);
    for (;;) {
        if (!path.flank() || !path.alignment()) return std::nullopt;
        const std::optional<bool> another = path.another();
        if (!another) return std::nullopt;
        if (*another) continue;
        if (!path.flank()) return std::nullopt;
        return path.take_residues();
    }
}

std::vector<ResidueCode> majority_consensus(const ProfileHmm& hmm) {
    std::vector<ResidueCode> residues;
    for (std::size_t k = 1; k <= static_cast<std::size_t>(hmm.length); ++k) {
        const auto best = std::ranges::max_element(hmm.match[k]) - hmm.match[k].begin();
        residues.push_back(is_masked(hmm, k) ? kCodeX : static_cast<ResidueCode>(best));
    }
    return residues;
}

std::string graded_consensus(const ProfileHmm& hmm, float least_shown, float least_upper) {
    std::string letters = decode_residues(majority_consensus(hmm));
    for (std::size_t k = 1; k <= letters.size(); ++k) {
        char& letter = letters[k - 1];
        const float best = std::ranges::max(hmm.match[k]);
        if (is_masked(hmm, k) || best < least_shown)
            letter = 'x';
        else if (best < least_upper)
            letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    return letters;
}

}  // namespace warpseq
