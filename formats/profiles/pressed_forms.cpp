#include "formats/profiles/pressed_forms.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

namespace warpseq {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t kAlignmentBytes = 64;
/// A bound above all scores, both those of a probability over a background frequency and those of
/// transitions.
constexpr float kAboveAllScores = 100;

struct Head {
    std::uint32_t nodes = 0;
    std::uint8_t bias = 0, enter = 0, end = 0, cutoffs = 0;
    HmmStatistics statistics;
    std::array<ScoreCutoffs, 3> scores{};
    ProfileHmm::Residues composition{};
};
constexpr std::uint64_t kHeadBytes = 192;
static_assert(sizeof(Head) == 136);

std::uint64_t aligned(std::uint64_t bytes) { return (bytes + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes; }

/// Returns pointers to the transitions in the order of the file.
template <typename Transitions>
auto arrays_of(Transitions& of) {
    return std::array{&of.enter,        &of.match_match,  &of.insert_match,  &of.delete_match,
                      &of.match_delete, &of.match_insert, &of.insert_insert, &of.delete_delete};
}
constexpr std::size_t kLaterRows = kAminoAcids + 8;

bool are_probabilities(const ProfileHmm::Residues& composition) {
    return std::ranges::all_of(composition,
                               [](float p) { return p >= 0 && p < 2; });  // rounding may give a little more than 1
}

template <typename Value>
void append_values(const Value* values, std::size_t count, std::string& out) {
    out.append(reinterpret_cast<const char*>(values), count * sizeof(Value));
}

}  // namespace

bool has_pressed_forms(const ProfileHmm& hmm) {
    return hmm.statistics && are_usable(*hmm.statistics) && are_probabilities(hmm.composition) && can_be_entered(hmm);
}

std::uint64_t first_form_bytes(std::uint64_t nodes) { return kHeadBytes + aligned(kResidueTableSize * nodes); }

std::uint64_t later_form_bytes(std::uint64_t nodes) { return aligned(kLaterRows * nodes * sizeof(float)); }

void append_first_form(const ProfileHmm& hmm, const Plan7Profile& configured, std::string& out) {
    const MsvProfile msv = quantise_msv(configured);
    Head head;
    head.nodes = static_cast<std::uint32_t>(hmm.length);
    head.bias = msv.bias;
    head.enter = msv.enter;
    head.end = msv.end;
    head.statistics = *hmm.statistics;
    std::size_t which = 0;
    for (const auto* cutoffs : {&hmm.gathering, &hmm.trusted, &hmm.noise}) {
        if (*cutoffs) {
            head.cutoffs = static_cast<std::uint8_t>(head.cutoffs | 1U << which);
            head.scores[which] = **cutoffs;
        }
        ++which;
    }
    head.composition = hmm.composition;
    const std::size_t end = out.size() + first_form_bytes(head.nodes);
    append_values(&head, 1, out);
    out.append(kHeadBytes - sizeof head, '\0');
    append_values(msv.match_costs.data(), msv.match_costs.size(), out);
    out.resize(end, '\0');
}

void append_later_form(const Plan7Profile& configured, std::string& out) {
    const auto length = static_cast<std::size_t>(configured.length);
    const std::size_t end = out.size() + later_form_bytes(length);
    append_values(configured.match.data(), kAminoAcids * length, out);
    for (const auto* each : arrays_of(configured.transitions)) append_values(each->data(), length, out);
    out.resize(end, '\0');
}

std::optional<FirstForm> read_first_form(std::span<const std::uint8_t> bytes, std::uint64_t nodes,
                                         std::shared_ptr<const void> owner) {
    if (bytes.size() != first_form_bytes(nodes)) return {};
    Head head;
    std::memcpy(static_cast<void*>(&head), bytes.data(), sizeof head);
    if (head.nodes != nodes) return {};
    FirstForm form;
    form.head.length = static_cast<int>(nodes);
    form.head.statistics = head.statistics;
    form.head.composition = head.composition;
    std::size_t which = 0;
    for (auto* cutoffs : {&form.head.gathering, &form.head.trusted, &form.head.noise}) {
        if ((head.cutoffs >> which & 1) != 0) *cutoffs = head.scores[which];
        ++which;
    }
    if (!are_usable(head.statistics) || !are_probabilities(head.composition)) return {};
    form.msv.length = form.head.length;
    form.msv.bias = head.bias;
    form.msv.enter = head.enter;
    form.msv.end = head.end;
    form.msv.match_costs = SharedBytes(bytes.subspan(kHeadBytes, kResidueTableSize * nodes), std::move(owner));
    return form;
}

std::optional<Plan7Profile> read_later_form(std::span<const std::uint8_t> bytes, std::uint64_t nodes) {
    if (bytes.size() != later_form_bytes(nodes)) return {};
    Plan7Profile profile;
    profile.length = static_cast<int>(nodes);
    const std::uint8_t* from = bytes.data();
    bool sound = true;
    const auto take = [&](float* to, std::size_t count) {
        std::memcpy(to, from, count * sizeof(float));
        from += count * sizeof(float);
        // The comparison is false for NaN.
        for (std::size_t i = 0; i < count; ++i) sound &= to[i] < kAboveAllScores;
    };
    profile.match.resize(kResidueTableSize * nodes);
    take(profile.match.data(), kAminoAcids * nodes);
    for (auto* each : arrays_of(profile.transitions)) {
        each->resize(nodes);
        take(each->data(), nodes);
    }
    if (!sound) return {};
    fill_other_codes(profile);
    return profile;
}

}  // namespace warpseq
