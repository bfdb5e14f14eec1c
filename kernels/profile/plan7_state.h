// The states of a Plan7 profile HMM, and the alignment steps that tracebacks through them make.
// They make no choice among paths. The reference shares the names of the states alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "libcore/profile/trace_step.h"

namespace warpseq {

/// The states of a Plan7 model. A traceback begins in C and ends when it reaches kStart.
enum class Plan7State : std::uint8_t { kStart, kN, kB, kMatch, kInsert, kDelete, kE, kJ, kC };

/// Whether a state belongs to a node of the model.
constexpr bool is_node_state(Plan7State state) {
    return state == Plan7State::kMatch || state == Plan7State::kInsert || state == Plan7State::kDelete;
}

/// Whether the step from `state` back to `before` is the loop of N, J or C. Such a loop emits a
/// residue outside of the model.
constexpr bool is_flank_loop(Plan7State state, Plan7State before) {
    return before == state && (state == Plan7State::kN || state == Plan7State::kJ || state == Plan7State::kC);
}

/// Returns the step of an alignment for a node state: node `node` (1..M) at residue `residue`. Its
/// probability is that of the match or the insert state. A delete state has none.
constexpr TraceStep step_of(Plan7State state, std::size_t node, std::size_t residue, float match, float insert) {
    const auto k = static_cast<std::int32_t>(node);
    const auto i = static_cast<std::int64_t>(residue);
    switch (state) {
        case Plan7State::kMatch: return {TraceState::kMatch, k, i, match};
        case Plan7State::kInsert: return {TraceState::kInsert, k, i, insert};
        default: return {TraceState::kDelete, k, i, 0.0f};
    }
}

/// Returns the steps from the first match state to the last, in order. `reversed` has them from the
/// last to the first. The result is empty if there is no match state.
inline std::vector<TraceStep> steps_between_matches(const std::vector<TraceStep>& reversed) {
    const auto is_match = [](const TraceStep& step) { return step.state == TraceState::kMatch; };
    const auto last = std::find_if(reversed.begin(), reversed.end(), is_match);
    if (last == reversed.end()) return {};
    return {std::find_if(reversed.rbegin(), reversed.rend(), is_match), std::make_reverse_iterator(last)};
}

}  // namespace warpseq
