#include "kernels/profile/viterbi_filter_reference.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace warpseq {
namespace {

constexpr int kMinusInfinity = ViterbiProfile::kMinusInfinity;

int saturated_sum(int a, int b) { return std::clamp(a + b, INT16_MIN, INT16_MAX); }

class ReferenceFilter final : public ViterbiFilter {
   public:
    explicit ReferenceFilter(const ViterbiProfile& profile) : profile_(profile) {}

    std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Workspace>(); }
    std::size_t preferred_targets() const override { return 1; }
    void score(std::span<const std::span<const ResidueCode>> targets, Workspace&,
               std::span<std::int16_t> results) const override {
        assert(results.size() == targets.size());
        for (std::size_t t = 0; t < targets.size(); ++t) results[t] = reference_viterbi(profile_, targets[t]);
    }

   private:
    ViterbiProfile profile_;
};

}  // namespace

std::int16_t reference_viterbi(const ViterbiProfile& profile, std::span<const ResidueCode> target) {
    const auto length = static_cast<std::size_t>(profile.length);
    const ViterbiProfile::Transitions& transitions = profile.transitions;
    const int move = ViterbiProfile::move(target.size());
    // Node 0 stays minus infinity.
    std::vector<int> match(length + 1, kMinusInfinity), insert = match, del = match;
    std::vector<int> match_above, insert_above, delete_above;
    int xb = ViterbiProfile::kBase + move;
    int xc = kMinusInfinity, xj = kMinusInfinity;
    for (const ResidueCode code : target) {
        match_above = match;
        insert_above = insert;
        delete_above = del;
        int xe = kMinusInfinity;
        for (std::size_t k = 1; k <= length; ++k) {
            const int best_before = std::max({saturated_sum(xb, transitions.enter[k - 1]),
                                              saturated_sum(match_above[k - 1], transitions.match_match[k - 1]),
                                              saturated_sum(insert_above[k - 1], transitions.insert_match[k - 1]),
                                              saturated_sum(delete_above[k - 1], transitions.delete_match[k - 1])});
            match[k] = saturated_sum(best_before, profile.match[code * length + k - 1]);
            if (k > 1) {
                del[k] = std::max(saturated_sum(match[k - 1], transitions.match_delete[k - 2]),
                                  saturated_sum(del[k - 1], transitions.delete_delete[k - 2]));
            }
            insert[k] = std::max(saturated_sum(match_above[k], transitions.match_insert[k - 1]),
                                 saturated_sum(insert_above[k], transitions.insert_insert[k - 1]));
            xe = std::max(xe, match[k]);
        }
        if (xe == INT16_MAX) return kViterbiOverflow;
        xc = std::max(xc, xe + ViterbiProfile::kEndMove);
        xj = std::max(xj, xe + ViterbiProfile::kEndLoop);
        xb = std::max(xj, ViterbiProfile::kBase) + move;
    }
    return static_cast<std::int16_t>(xc);
}

std::unique_ptr<ViterbiFilter> make_reference_viterbi_filter(const ViterbiProfile& profile) {
    return std::make_unique<ReferenceFilter>(profile);
}

}  // namespace warpseq
