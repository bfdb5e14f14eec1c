#include "formats/profiles/striped_profiles.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "libcore/sequence/alphabet.h"

namespace warpseq {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint32_t kFilterMagic = 0xb3e6e6f3, kProfileMagic = 0xb3e6f0f3;
constexpr std::int32_t kAmino = 3, kLocal = 1, kTargetResidues = 400;
constexpr float kUnset = -99999.0F;
constexpr float kMsvScale = static_cast<float>(3.0 / std::numbers::ln2);
constexpr float kViterbiScale = static_cast<float>(500.0 / std::numbers::ln2);
constexpr std::size_t kVectorBytes = 16, kRepeatedVectors = 17;

/// The rows of a profile's tables in the order of HMMER's alphabet. HMMER's letters - * and ~,
/// which are no residues, have the row of the stop.
constexpr std::size_t kRows = 29;
constexpr std::array<ResidueCode, kRows> rows_of_letters() {
    std::array<ResidueCode, kRows> rows{};
    std::size_t at = 0;
    for (ResidueCode code = 0; code < kAminoAcids; ++code) rows[at++] = code;
    rows[at++] = kCodeStop;
    for (const ResidueCode code : {kCodeB, kCodeJ, kCodeZ, kCodeO, kCodeU, kCodeX, kCodeStop, kCodeStop})
        rows[at++] = code;
    return rows;
}
constexpr std::array<ResidueCode, kRows> kRowsOfLetters = rows_of_letters();

template <typename Value>
void append_value(const Value& value, std::string& out) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename Value>
std::size_t vectors_of(std::size_t nodes) {
    constexpr std::size_t kElements = kVectorBytes / sizeof(Value);
    return std::max<std::size_t>(2, (nodes + kElements - 1) / kElements);
}

/// Appends vector q of a striped array over nodes.
template <typename Value>
void append_vector(const Value* values, std::size_t nodes, std::size_t q, Value nothing, std::string& out) {
    std::array<Value, kVectorBytes / sizeof(Value)> vector;
    const std::size_t vectors = vectors_of<Value>(nodes);
    for (std::size_t z = 0; z < vector.size(); ++z) {
        const std::size_t at = q + z * vectors;
        vector[z] = at < nodes ? values[at] : nothing;
    }
    append_value(vector, out);
}

/// Appends all vectors of a striped array, and then `more` vectors, from the first one on again.
template <typename Value>
void append_striped(const Value* values, std::size_t nodes, Value nothing, std::string& out, std::size_t more = 0) {
    const std::size_t vectors = vectors_of<Value>(nodes);
    for (std::size_t q = 0; q < vectors + more; ++q) append_vector(values, nodes, q % vectors, nothing, out);
}

/// Appends the transitions and the match scores, as 16-bit scores or as odds. Both forms have the
/// same order.
template <typename Form, typename Value>
void append_scores(const Form& form, Value nothing, std::string& out) {
    const auto nodes = static_cast<std::size_t>(form.length);
    const auto& t = form.transitions;
    for (std::size_t q = 0; q < vectors_of<Value>(nodes); ++q) {
        for (const auto* each : {&t.enter, &t.match_match, &t.insert_match, &t.delete_match, &t.match_delete,
                                 &t.match_insert, &t.insert_insert})
            append_vector(each->data(), nodes, q, nothing, out);
    }
    append_striped(t.delete_delete.data(), nodes, nothing, out);
    for (const ResidueCode row : kRowsOfLetters) append_striped(form.match.data() + row * nodes, nodes, nothing, out);
}

/// Returns the most that reaching a node by deletions can score above entering it from B. With this
/// bound a search knows when it can leave out deletions.
std::int16_t deletion_bound(const ViterbiProfile& profile) {
    const auto& t = profile.transitions;
    int bound = ViterbiProfile::kMinusInfinity;
    // The path through deletions leads from node k to node k + 2.
    for (std::size_t k = 2; k + 1 < static_cast<std::size_t>(profile.length); ++k) {
        const int worth = int{t.delete_delete[k - 1]} + t.delete_match[k + 1] - t.enter[k + 1];
        bound = static_cast<std::int16_t>(std::max(bound, worth));
    }
    return static_cast<std::int16_t>(bound);
}

void append_letters(const std::string& letters, std::size_t nodes, std::string& out) {
    if (letters.empty()) {
        out.append(nodes + 2, '\0');
    } else {
        out += ' ' + letters;
        out += '\0';
    }
}

/// Appends the fields with which both records begin.
void append_head(std::uint32_t magic, const ProfileHmm& hmm, std::string& out) {
    append_value(magic, out);
    append_value(static_cast<std::int32_t>(hmm.length), out);
    append_value(kAmino, out);
    append_value(static_cast<std::int32_t>(hmm.name.size()), out);
    out.append(hmm.name.c_str(), hmm.name.size() + 1);
}

/// Returns SSV's scores: the bias less the costs, computed in unsigned bytes as in HMMER.
std::vector<std::uint8_t> ssv_scores(const MsvProfile& msv) {
    const int limit = static_cast<std::uint8_t>(msv.bias + 127);
    std::vector<std::uint8_t> scores(msv.match_costs.size());
    std::transform(msv.match_costs.data(), msv.match_costs.data() + msv.match_costs.size(), scores.begin(),
                   [limit](std::uint8_t cost) { return static_cast<std::uint8_t>(std::max(limit - cost, 0) ^ 127); });
    return scores;
}

}  // namespace

void append_striped_filter(const ProfileHmm& hmm, const Plan7Profile& configured, const StripedOffsets& offsets,
                           std::string& out) {
    const auto nodes = static_cast<std::size_t>(hmm.length);
    const MsvProfile msv = quantise_msv(configured);
    append_head(kFilterMagic, hmm, out);
    append_value(static_cast<std::int32_t>(hmm.longest_instance.value_or(-1)), out);
    for (const std::uint8_t cost : {msv.enter, msv.end, MsvProfile::move(kTargetResidues)}) append_value(cost, out);
    append_value(kMsvScale, out);
    append_value(static_cast<std::uint8_t>(MsvProfile::kBase), out);
    append_value(msv.bias, out);
    constexpr std::uint8_t kForbidden = 255;
    const std::vector<std::uint8_t> ssv = ssv_scores(msv);
    const auto nothing_to_ssv =
        static_cast<std::uint8_t>(std::max(int{static_cast<std::uint8_t>(msv.bias + 127)} - kForbidden, 0) ^ 127);
    for (const ResidueCode row : kRowsOfLetters)
        append_striped(ssv.data() + row * nodes, nodes, nothing_to_ssv, out, kRepeatedVectors);
    for (const ResidueCode row : kRowsOfLetters)
        append_striped(msv.match_costs.data() + row * nodes, nodes, kForbidden, out);
    const HmmStatistics unset{kUnset, kUnset, kUnset, kUnset, kUnset, kUnset};
    const HmmStatistics& statistics = hmm.statistics ? *hmm.statistics : unset;
    for (const float value : {statistics.msv_mu, statistics.msv_lambda, statistics.viterbi_mu,
                              statistics.viterbi_lambda, statistics.forward_tau, statistics.forward_lambda})
        append_value(value, out);
    for (const std::uint64_t offset : {offsets.model, offsets.filter, offsets.profile}) append_value(offset, out);
    append_value(hmm.composition, out);
    append_value(kFilterMagic, out);
}

void append_striped_profile(const ProfileHmm& hmm, const Plan7Profile& configured, std::string& out) {
    const auto nodes = static_cast<std::size_t>(hmm.length);
    append_head(kProfileMagic, hmm, out);
    for (const std::string* text : {&hmm.accession, &hmm.description}) {
        append_value(static_cast<std::int32_t>(text->size()), out);
        if (!text->empty()) out.append(text->c_str(), text->size() + 1);
    }
    for (const std::string* letters : {&hmm.reference, &hmm.mask, &hmm.structure, &hmm.consensus})
        append_letters(*letters, nodes, out);

    const ViterbiProfile viterbi = quantise_viterbi(configured);
    append_scores(viterbi, ViterbiProfile::kMinusInfinity, out);
    constexpr std::int16_t kFree = 0;
    const std::int16_t move = ViterbiProfile::move(kTargetResidues);
    for (const std::int16_t score :
         {ViterbiProfile::kEndMove, ViterbiProfile::kEndLoop, move, kFree, move, kFree, move, kFree})
        append_value(score, out);
    append_value(kViterbiScale, out);
    append_value(static_cast<std::int16_t>(ViterbiProfile::kBase), out);
    append_value(deletion_bound(viterbi), out);
    append_value(0.0F, out);

    append_scores(forward_odds(configured), 0.0F, out);
    // Each probability is converted to its logarithm and back.
    const LengthModel length = LengthModel::multihit(kTargetResidues);
    const auto there_and_back = [](float probability) {
        return std::exp(static_cast<float>(std::log(static_cast<double>(probability))));
    };
    const float loop = there_and_back(length.loop), on = there_and_back(length.move);
    for (const float odds : {length.end_move, length.end_loop, on, loop, on, loop, on, loop}) append_value(odds, out);

    for (const auto* cutoffs : {&hmm.gathering, &hmm.trusted, &hmm.noise}) {
        append_value(*cutoffs ? (*cutoffs)->sequence_bits : kUnset, out);
        append_value(*cutoffs ? (*cutoffs)->domain_bits : kUnset, out);
    }
    append_value(1.0F, out);
    append_value(kLocal, out);
    append_value(kTargetResidues, out);
    append_value(kProfileMagic, out);
}

}  // namespace warpseq
