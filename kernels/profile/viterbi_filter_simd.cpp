#include "kernels/profile/viterbi_filter_simd.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>
#include <vector>

#include "kernels/profile/profile_filter_table_simd.h"
#include "kernels/simd/aligned_bytes.h"

namespace warpseq {
namespace {

class SimdWorkspace final : public ViterbiFilter::Workspace {
   public:
    AlignedBytes states, columns;
    std::vector<std::uint32_t> order;  // indices of targets, longest first
};

constexpr std::size_t kMostLanes = 32;

// The costs of the striped kernel per segment and per row, in vector operations
// (docs/lab-notes.md).
constexpr std::uint64_t kStripedSegmentCost = 15, kStripedRowCost = 110;

/// Returns the greatest gain of a path from D(k) that takes D -> D over B -> M. It is the maximum
/// over k < j of d-d(k) + ... + d-d(j - 1) + d-m into j + 1 - enter(j + 1). It is computed in int.
/// Saturation at -32768 does not affect it. Every transition is at most 0, so a saturated path
/// stays at the lowest value there is.
int delete_bound(const ViterbiProfile& profile) {
    constexpr int kNever = -(1 << 20);
    const ViterbiProfile::Transitions& transitions = profile.transitions;
    int bound = kNever;
    int gain = kNever;  // gain of the paths from D(k)
    for (std::size_t k = static_cast<std::size_t>(profile.length); k-- > 2;) {
        // The paths into M at index k come from D at k - 1 and from D at k - 2.
        gain = transitions.delete_delete[k - 2] + std::max(transitions.delete_match[k] - transitions.enter[k], gain);
        bound = std::max(bound, gain);
    }
    return bound;
}

class SimdFilter final : public ViterbiFilter {
   public:
    SimdFilter(const ProfileFilterTable& kernels, const ViterbiProfile& profile) : kernels_(kernels) {
        const auto length = static_cast<std::size_t>(profile.length);
        const std::size_t lanes = kernels.vector_bytes / sizeof(std::int16_t);
        segments_ = (length + lanes - 1) / lanes;
        row_lanes_ = segments_ * lanes;
        auto* const memory = reinterpret_cast<std::int16_t*>(
            memory_.reserve((kResidueTableSize + kStripedTransitions + 1) * row_lanes_ * sizeof(std::int16_t)));
        match_ = memory;
        transitions_ = match_ + kResidueTableSize * row_lanes_;
        delete_delete_ = transitions_ + kStripedTransitions * row_lanes_;
        // Nodes beyond the last are minus infinity throughout.
        std::fill_n(memory, (kResidueTableSize + kStripedTransitions + 1) * row_lanes_, ViterbiProfile::kMinusInfinity);
        const ViterbiProfile::Transitions& from = profile.transitions;
        const std::array sources = {&from.enter,        &from.match_match,  &from.insert_match, &from.delete_match,
                                    &from.match_delete, &from.match_insert, &from.insert_insert};
        static_assert(sources.size() == kStripedTransitions);
        for (std::size_t k = 0; k < length; ++k) {
            const std::size_t segment = k % segments_, lane = k / segments_;
            const std::size_t at = segment * lanes + lane;
            for (std::size_t code = 0; code < kResidueTableSize; ++code) {
                match_[code * row_lanes_ + at] = profile.match[code * length + k];
            }
            for (std::size_t t = 0; t < sources.size(); ++t) {
                transitions_[(segment * kStripedTransitions + t) * lanes + lane] = (*sources[t])[k];
            }
            delete_delete_[at] = from.delete_delete[k];
        }
        delete_bound_ = delete_bound(profile);
        if (kernels_.interleaved_viterbi && can_interleave(profile)) prepare_interleaved(profile);
    }

    std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<SimdWorkspace>(); }
    std::size_t preferred_targets() const override { return nodes_ > 0 ? 8 * lanes() : 1; }

    void score(std::span<const std::span<const ResidueCode>> targets, Workspace& workspace,
               std::span<std::int16_t> results) const override {
        assert(results.size() == targets.size());
        auto& work = static_cast<SimdWorkspace&>(workspace);
        if (nodes_ == 0) {
            for (std::size_t t = 0; t < targets.size() && !work.stop.stop_requested(); ++t)
                results[t] = score_striped(targets[t], work);
            return;
        }
        // Targets are grouped by like length. A target that is too long for its group is scored
        // alone, as are the few of an incomplete group.
        work.order.resize(targets.size());
        std::iota(work.order.begin(), work.order.end(), 0u);
        std::sort(work.order.begin(), work.order.end(),
                  [&targets](std::uint32_t a, std::uint32_t b) { return targets[a].size() > targets[b].size(); });
        for (std::span<const std::uint32_t> rest = work.order; !rest.empty() && !work.stop.stop_requested();) {
            const auto group = rest.first(std::min(rest.size(), lanes()));
            if (ViterbiProfile::move(targets[group.front()].size()) >= kLeastInterleavedTransition &&
                is_interleaving_cheaper(targets, group)) {
                score_interleaved(targets, group, work, results);
                rest = rest.subspan(group.size());
            } else {
                results[rest.front()] = score_striped(targets[rest.front()], work);
                rest = rest.subspan(1);
            }
        }
    }

   private:
    std::size_t lanes() const { return kernels_.vector_bytes / sizeof(std::int16_t); }

    void prepare_interleaved(const ViterbiProfile& profile) {
        nodes_ = static_cast<std::size_t>(profile.length);
        const std::size_t match_bytes = nodes_ * kResidueTableSize * sizeof(std::int16_t);
        std::byte* const memory =
            interleaved_memory_.reserve(match_bytes + nodes_ * kInterleavedTransitions * sizeof(std::int32_t));
        node_match_ = reinterpret_cast<std::int16_t*>(memory);
        node_transitions_ = reinterpret_cast<std::int32_t*>(memory + match_bytes);
        const ViterbiProfile::Transitions& from = profile.transitions;
        constexpr int kNowhere = ViterbiProfile::kMinusInfinity;
        for (std::size_t k = 0; k < nodes_; ++k) {
            std::array<std::int16_t, kResidueTableSize> match;
            for (std::size_t code = 0; code < match.size(); ++code) match[code] = profile.match[code * nodes_ + k];
            kernels_.fill_score_table(match.data(), node_match_ + k * kResidueTableSize);
            std::array<int, kInterleavedTransitions> scores = {
                from.enter[k], from.match_match[k], kNowhere, kNowhere, kNowhere, kNowhere};
            if (k + 1 < nodes_) {
                scores[3] = from.match_insert[k] + from.insert_match[k + 1];
                scores[4] = from.insert_insert[k];
            }
            if (k + 2 < nodes_) {
                scores[2] = from.match_delete[k] + from.delete_match[k + 2];
                scores[5] = from.delete_delete[k] + from.delete_match[k + 2] - from.delete_match[k + 1];
            }
            for (std::size_t t = 0; t < scores.size(); ++t) {
                const auto bits = static_cast<std::uint16_t>(scores[t]);
                node_transitions_[k * kInterleavedTransitions + t] = static_cast<std::int32_t>(bits * 0x10001u);
            }
        }
    }

    // Whether the interleaved kernel's form of I and D is exact. It is if transitions that lead
    // somewhere are not too low.
    static bool can_interleave(const ViterbiProfile& profile) {
        const auto length = static_cast<std::size_t>(profile.length);
        const ViterbiProfile::Transitions& transitions = profile.transitions;
        const auto all_high = [](std::span<const std::int16_t> scores) {
            return std::all_of(scores.begin(), scores.end(),
                               [](std::int16_t score) { return score >= kLeastInterleavedTransition; });
        };
        const auto high = [&](std::span<const std::int16_t> scores, std::size_t first, std::size_t end) {
            return first >= end || all_high(scores.subspan(first, end - first));
        };
        // Transitions into node 2 and later, and out of all nodes but the last.
        return all_high(transitions.enter) && high(transitions.insert_match, 1, length) &&
               high(transitions.delete_match, 1, length) && high(transitions.match_delete, 0, length - 1) &&
               high(transitions.match_insert, 0, length - 1) && high(transitions.delete_delete, 0, length - 1);
    }

    bool is_interleaving_cheaper(std::span<const std::span<const ResidueCode>> targets,
                                 std::span<const std::uint32_t> group) const {
        std::uint64_t residues = 0;
        for (const std::uint32_t t : group) residues += targets[t].size();
        return targets[group.front()].size() * nodes_ * kernels_.interleaved_node_cost <
               residues * (segments_ * kStripedSegmentCost + kStripedRowCost);
    }

    void score_interleaved(std::span<const std::span<const ResidueCode>> targets, std::span<const std::uint32_t> group,
                           SimdWorkspace& work, std::span<std::int16_t> results) const {
        const std::size_t group_lanes = lanes();
        const std::size_t rows = targets[group.front()].size();
        auto* const columns = reinterpret_cast<std::uint8_t*>(work.columns.reserve(rows * group_lanes));
        std::fill_n(columns, rows * group_lanes, kPaddingCode);
        std::array<std::uint32_t, kMostLanes> residues;
        std::array<std::int16_t, kMostLanes> moves, group_results;
        for (std::size_t lane = 0; lane < group.size(); ++lane) {
            const std::span<const ResidueCode> target = targets[group[lane]];
            std::uint8_t* to = columns + lane;
            for (const ResidueCode code : target) {
                *to = code;
                to += group_lanes;
            }
            residues[lane] = static_cast<std::uint32_t>(target.size());
            moves[lane] = ViterbiProfile::move(target.size());
        }
        auto* const states = reinterpret_cast<std::int16_t*>(work.states.reserve(3 * nodes_ * kernels_.vector_bytes));
        kernels_.interleaved_viterbi({node_match_, node_transitions_, nodes_, columns, residues.data(), moves.data(),
                                      group.size(), ViterbiProfile::kBase, ViterbiProfile::kEndMove, states,
                                      group_results.data(), &work.stop});
        if (work.stop.stop_requested()) return;
        for (std::size_t lane = 0; lane < group.size(); ++lane) results[group[lane]] = group_results[lane];
    }

    std::int16_t score_striped(std::span<const ResidueCode> target, SimdWorkspace& work) const {
        static_assert(ViterbiProfile::kEndMove == ViterbiProfile::kEndLoop);
        auto* const states =
            reinterpret_cast<std::int16_t*>(work.states.reserve(3 * row_lanes_ * sizeof(std::int16_t)));
        return kernels_.viterbi({match_, transitions_, delete_delete_, segments_, target.data(), target.size(),
                                 ViterbiProfile::kBase, ViterbiProfile::move(target.size()), ViterbiProfile::kEndMove,
                                 delete_bound_, states, &work.stop});
    }

    const ProfileFilterTable& kernels_;
    std::size_t segments_ = 0, row_lanes_ = 0;
    AlignedBytes memory_;
    std::int16_t* match_ = nullptr;
    std::int16_t* transitions_ = nullptr;
    std::int16_t* delete_delete_ = nullptr;
    int delete_bound_ = 0;
    // The same profile by nodes, for groups of targets.
    std::size_t nodes_ = 0;
    AlignedBytes interleaved_memory_;
    std::int16_t* node_match_ = nullptr;
    std::int32_t* node_transitions_ = nullptr;
};

}  // namespace

std::unique_ptr<ViterbiFilter> make_simd_viterbi_filter(const ProfileFilterTable& kernels,
                                                        const ViterbiProfile& profile) {
    return std::make_unique<SimdFilter>(kernels, profile);
}

}  // namespace warpseq
