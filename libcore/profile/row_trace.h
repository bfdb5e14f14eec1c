// The path of a row of an alignment through the model that is built from it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/profile/aligned_rows.h"
#include "libcore/profile/trace_step.h"

namespace warpseq {

/// Missing data (of a fragment) is a state of its own, so that it counts neither as residues nor as
/// deletes.
enum class RowState : std::uint8_t { kBegin, kMatch, kInsert, kDelete, kMissing, kEnd };

struct RowStep {
    RowState state;
    std::int32_t node;  // 1..M; of an insert or of missing data the match column before it, 0: none; of begin and end 0
    std::int32_t column;  // of the residue, from 1; 0 where a step has none
    bool operator==(const RowStep&) const = default;
};
using RowTrace = std::vector<RowStep>;

/// From begin to end. `is_match` says for each column whether it is a node. Consecutive columns of
/// missing data are one step. The model has no way between an insert and a delete: where the
/// columns say so, the insert's residue moves into the delete's node.
void trace_row(std::span<const ResidueCode> row, const std::vector<bool>& is_match, RowTrace& trace);

/// Its match, insert and delete steps, with residues (stops among them) numbered from 1.
std::vector<TraceStep> trace_of_residues(const RowTrace& trace);

}  // namespace warpseq
