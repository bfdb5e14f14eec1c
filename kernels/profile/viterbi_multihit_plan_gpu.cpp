#include "kernels/profile/viterbi_multihit_plan_gpu.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace warpseq::cuda {
namespace {

// The shapes. 13 nodes a thread make the best use of the registers. Other numbers are used if a
// model then leaves fewer of them unused.
constexpr ViterbiMultihitShape kShapes[] = {{8, 4},    {8, 7},    {8, 10},   {8, 13},   {8, 16},   {16, 10},  {16, 13},
                                            {16, 16},  {32, 10},  {32, 13},  {32, 16},  {64, 10},  {64, 13},  {64, 16},
                                            {96, 13},  {128, 13}, {128, 16}, {160, 13}, {192, 13}, {256, 10}, {160, 16},
                                            {224, 13}, {192, 16}, {256, 13}, {224, 16}, {256, 16}};

}  // namespace

std::span<const ViterbiMultihitShape> viterbi_multihit_shapes() { return kShapes; }

ViterbiMultihitTables::ViterbiMultihitTables(std::span<const ViterbiProfile* const> profiles,
                                             const ViterbiMultihitShape* shape) {
    static_assert(std::ranges::is_sorted(kShapes, {}, &ViterbiMultihitShape::nodes));
    for (const ViterbiProfile* profile : profiles) {
        const auto length = static_cast<std::size_t>(profile->length);
        const auto fits = [&](const ViterbiMultihitShape& each) {
            return profile->length <= each.nodes() && (shape == nullptr || each == *shape);
        };
        const auto which = static_cast<std::size_t>(std::ranges::find_if(kShapes, fits) - kShapes);
        shape_of_profile_.push_back(static_cast<std::uint32_t>(which));
        const bool has_shape = which < std::size(kShapes);
        // A profile without a shape is stored as if one thread had all nodes, without rounding.
        const ViterbiMultihitLayout layout =
            has_shape ? kShapes[which].layout() : ViterbiMultihitLayout{1, profile->length};
        const auto threads = static_cast<std::size_t>(layout.threads);
        const auto nodes = static_cast<std::size_t>(layout.nodes_per_thread);
        constexpr std::size_t kLoad = kViterbiMultihitLoadScores;
        const std::size_t first_match = (entries_.size() + kLoad - 1) / kLoad * kLoad;
        const std::size_t match_entries = has_shape ? kShapes[which].match_entries() : kResidueTableSize * length;
        const std::size_t first_transition = first_match + match_entries;
        entries_.resize(first_transition + kViterbiMultihitFields * threads * nodes, ViterbiProfile::kMinusInfinity);
        profiles_.push_back({first_match, first_transition, profile->length});

        const ViterbiProfile::Transitions& to = profile->transitions;
        const std::array<const std::vector<std::int16_t>*, kViterbiMultihitFields> fields = {
            &to.enter,        &to.match_match,  &to.insert_match,  &to.delete_match,
            &to.match_delete, &to.match_insert, &to.insert_insert, &to.delete_delete};
        const auto is_next = [](std::size_t field) { return field >= kNextMatchMatch && field <= kNextDeleteMatch; };
        std::fill(entries_.begin() + static_cast<std::ptrdiff_t>(first_match), entries_.end(),
                  ViterbiProfile::kMinusInfinity);
        for (std::size_t node = 0; node < length; ++node) {
            const std::size_t thread = node / nodes, r = node % nodes;
            for (std::size_t field = 0; field < kViterbiMultihitFields; ++field) {
                const std::size_t from = node + is_next(field);
                const auto place =
                    static_cast<std::size_t>(layout.transition_place(static_cast<int>(field), static_cast<int>(r)));
                if (from < length) entries_[first_transition + place + thread] = (*fields[field])[from];
            }
            for (std::size_t code = 0; code < kResidueTableSize; ++code) {
                const auto load = static_cast<std::size_t>(
                    layout.load_place(static_cast<std::uint32_t>(code), static_cast<int>(r / kLoad)));
                const std::size_t place = has_shape ? (load + thread) * kLoad + r % kLoad : code * length + node;
                entries_[first_match + place] = profile->match[code * length + node];
            }
        }
    }
}

}  // namespace warpseq::cuda
