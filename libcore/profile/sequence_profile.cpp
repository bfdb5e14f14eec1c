#include "libcore/profile/sequence_profile.h"

#include <cassert>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "libcore/statistics/null_model.h"

namespace warpseq {
namespace {

// Probabilities of pairs are doubles, summed in the order of residue codes. HMMER 3 does the same,
// and the floats that result have to be its floats.
double pair_probability(const SubstitutionMatrix& matrix, ResidueCode a, ResidueCode b, double lambda) {
    return static_cast<double>(kBackgroundFrequencies[a]) * static_cast<double>(kBackgroundFrequencies[b]) *
           std::exp(lambda * static_cast<double>(matrix.score_raw(a, b)));
}

struct Excess {
    double value;  // sum of all P(a, b), minus 1
    double slope;  // its derivative by lambda
};

Excess excess_at(const SubstitutionMatrix& matrix, double lambda) {
    Excess excess{0, 0};
    for (ResidueCode a = 0; a < kAminoAcids; ++a) {
        for (ResidueCode b = 0; b < kAminoAcids; ++b) {
            const double p = pair_probability(matrix, a, b, lambda);
            excess.value += p;
            excess.slope += p * static_cast<double>(matrix.score_raw(a, b));
        }
    }
    excess.value -= 1.0;
    return excess;
}

/// Finds the lambda at which the excess is 0. The excess is convex in lambda and 0 at 0. If the
/// mean score is negative and a score is positive, it is also 0 at one lambda above 0. Newton's
/// steps from the right of that lambda come down to it.
std::optional<double> solve_lambda(const SubstitutionMatrix& matrix) {
    constexpr double kHighestStart = 50, kTolerance = 1e-15;
    constexpr int kSteps = 100;
    int highest = matrix.score_raw(0, 0);
    for (ResidueCode a = 0; a < kAminoAcids; ++a) {
        for (ResidueCode b = 0; b < kAminoAcids; ++b) highest = std::max(highest, matrix.score_raw(a, b));
    }
    if (highest <= 0 || !(excess_at(matrix, 0).slope < 0)) return std::nullopt;

    double lambda = 1.0 / highest;
    while (lambda < kHighestStart && !(excess_at(matrix, lambda).value > 0)) lambda *= 2;
    if (lambda >= kHighestStart) return std::nullopt;
    Excess excess = excess_at(matrix, lambda);
    for (int step = 0; step < kSteps; ++step) {
        const double before = lambda;
        lambda -= excess.value / excess.slope;
        excess = excess_at(matrix, lambda);
        if (excess.value == 0 || std::fabs(lambda - before) < kTolerance + kTolerance * lambda) return lambda;
    }
    return std::nullopt;
}

/// The letters that follow the amino acids in HMMER's alphabet. HMMER looks up the probability that
/// a residue is kept by its letter's place in the alphabet. For these letters that is beyond the
/// end of the node's row, in the row of the next node. A place in this list is the place in that
/// row.
constexpr std::string_view kBehindAminoAcids = "-BJZOUX";

}  // namespace

Result<ReplacementProbabilities> replacement_probabilities(const SubstitutionMatrix& matrix) {
    const std::optional<double> lambda = solve_lambda(matrix);
    if (!lambda) {
        return Status::invalid_input("the matrix " + matrix.name() +
                                     " cannot be turned into probabilities: its mean score has to be negative and its "
                                     "highest positive; use BLOSUM62 or another matrix of that kind");
    }
    ReplacementProbabilities replacements{};
    for (ResidueCode code = 0; code < kResidueCodes; ++code) {
        std::array<double, kAminoAcids> joint{};
        for (ResidueCode a = 0; a < kAminoAcids; ++a) {
            if ((kAminoAcidsOfCode[code] >> a & 1) == 0) continue;
            for (ResidueCode b = 0; b < kAminoAcids; ++b) joint[b] += pair_probability(matrix, a, b, *lambda);
        }
        double sum = 0;
        for (const double p : joint) sum += p;
        if (sum == 0) continue;
        for (std::size_t b = 0; b < joint.size(); ++b) replacements[code][b] = static_cast<float>(joint[b] / sum);
    }
    return replacements;
}

ProfileHmm profile_of_sequence(std::span<const ResidueCode> residues, std::string name, std::string description,
                               const ReplacementProbabilities& replacements, GapProbabilities gaps) {
    assert(!residues.empty() && residues.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()));
    ProfileHmm hmm;
    hmm.name = std::move(name);
    hmm.description = std::move(description);
    hmm.length = static_cast<int>(residues.size());
    hmm.sequences = 1;
    hmm.commands = {"[HMM created from a query sequence]"};

    ProfileHmm::Transitions transitions;
    transitions[kMatchMatch] = static_cast<float>(1.0 - 2 * gaps.open);
    transitions[kMatchInsert] = transitions[kMatchDelete] = static_cast<float>(gaps.open);
    transitions[kInsertMatch] = transitions[kDeleteMatch] = static_cast<float>(1.0 - gaps.extend);
    transitions[kInsertInsert] = transitions[kDeleteDelete] = static_cast<float>(gaps.extend);
    hmm.transitions.assign(residues.size() + 1, transitions);
    // Behind the last node there is no delete state.
    hmm.transitions.back()[kMatchMatch] = static_cast<float>(1.0 - gaps.open);
    hmm.transitions.back()[kMatchDelete] = hmm.transitions.back()[kDeleteDelete] = 0;
    hmm.transitions.back()[kDeleteMatch] = 1;

    hmm.insert.assign(residues.size() + 1, kBackgroundFrequencies);
    hmm.match.reserve(residues.size() + 1);
    hmm.match.emplace_back();
    for (std::size_t i = 0; i < residues.size(); ++i) {
        const ResidueCode code = residues[i];
        hmm.match.push_back(replacements[code]);
        const char letter = residue_letter(code);
        float keeps = 0;
        if (code < kAminoAcids) {
            keeps = replacements[code][code];
        } else if (const std::size_t of_next = kBehindAminoAcids.find(letter);
                   of_next != kBehindAminoAcids.npos && i + 1 < residues.size()) {
            keeps = replacements[residues[i + 1]][of_next];
        }
        const bool upper = keeps >= 0.5f;
        hmm.consensus += upper ? letter : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    hmm.composition = composition_of(hmm);
    return hmm;
}

}  // namespace warpseq
