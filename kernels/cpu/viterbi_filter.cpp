#include "kernels/cpu/viterbi_filter.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "kernels/cpu/aligned_bytes.h"
#include "kernels/cpu/profile_filter_table.h"

namespace warpseq {
namespace {

class SimdWorkspace final : public ViterbiFilter::Workspace {
   public:
    AlignedBytes states;
};

/// The greatest gain of a path that takes D -> D over B -> M: max over k < j of m-d(k) + d-d(k + 1) + ... + d-d(j - 1) +
/// d-m into j + 1 - enter(j + 1). All in int: saturation at -32768 only raises what leads through B more than what leads
/// through D, since every transition is at most 0 and a saturated path stays at the lowest value.
int delete_bound(const ViterbiProfile& profile) {
    constexpr int kNever = -(1 << 20);
    const ViterbiProfile::Transitions& transitions = profile.transitions;
    int bound = kNever;
    int from_delete = kNever;  // the best of D(k) on, over D(k + 1), into some M, less enter
    for (std::size_t k = static_cast<std::size_t>(profile.length); k-- > 0;) {
        // Here k is an index of arrays: node k + 1.
        if (k + 1 < static_cast<std::size_t>(profile.length)) {
            bound = std::max(bound, transitions.match_delete[k] + from_delete);
        }
        // from_delete is of D at index k + 1 so far; now of index k: over D at k + 1, which leads into M at k + 2 or on.
        if (k + 2 < static_cast<std::size_t>(profile.length)) {
            const int leave = transitions.delete_match[k + 2] - transitions.enter[k + 2];
            from_delete = transitions.delete_delete[k] + std::max(leave, from_delete);
        }
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
    }

    std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<SimdWorkspace>(); }
    std::size_t preferred_targets() const override { return 1; }

    void score(std::span<const std::span<const ResidueCode>> targets, Workspace& workspace,
               std::span<std::int16_t> results) const override {
        assert(results.size() == targets.size());
        auto& work = static_cast<SimdWorkspace&>(workspace);
        auto* const states =
            reinterpret_cast<std::int16_t*>(work.states.reserve(3 * row_lanes_ * sizeof(std::int16_t)));
        static_assert(ViterbiProfile::kEndMove == ViterbiProfile::kEndLoop);
        for (std::size_t t = 0; t < targets.size(); ++t) {
            results[t] = kernels_.viterbi({match_, transitions_, delete_delete_, segments_, targets[t].data(),
                                           targets[t].size(), ViterbiProfile::kBase,
                                           ViterbiProfile::move(targets[t].size()), ViterbiProfile::kEndMove,
                                           delete_bound_, states});
        }
    }

   private:
    const ProfileFilterTable& kernels_;
    std::size_t segments_ = 0, row_lanes_ = 0;
    AlignedBytes memory_;
    std::int16_t* match_ = nullptr;
    std::int16_t* transitions_ = nullptr;
    std::int16_t* delete_delete_ = nullptr;
    int delete_bound_ = 0;
};

}  // namespace

std::unique_ptr<ViterbiFilter> make_simd_viterbi_filter(const ProfileFilterTable& kernels,
                                                        const ViterbiProfile& profile) {
    return std::make_unique<SimdFilter>(kernels, profile);
}

}  // namespace warpseq
