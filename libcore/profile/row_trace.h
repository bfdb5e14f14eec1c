// The path of a row of an alignment through the model that is built from it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/profile/aligned_rows.h"
#include "libcore/profile/trace_step.h"

namespace warpseq {

/// The state of a step. Missing data (of a fragment) is a state of its own, so that it counts
/// neither as residues nor as deletes.
enum class RowState : std::uint8_t { kBegin, kMatch, kInsert, kDelete, kMissing, kEnd };

struct RowStep {
    RowState state;
    std::int32_t node;    // 1..M; 0 at begin and end; for inserts and missing data the last node before them, or 0
    std::int32_t column;  // column of the residue, from 1; 0 for a step without one
    bool operator==(const RowStep&) const = default;
};
using RowTrace = std::vector<RowStep>;

/// Replaces `trace` by the path of a row from begin to end. `is_match` says for each column whether
/// it is a node. Consecutive columns of missing data are one step. The model has no transition
/// between an insert and a delete. If the columns ask for one, the insert's residue moves into the
/// delete's node.
void trace_row(std::span<const ResidueCode> row, const std::vector<bool>& is_match, RowTrace& trace);

/// Returns a trace's match, insert and delete steps. Residues (stops among them) are numbered from
/// 1.
std::vector<TraceStep> trace_of_residues(const RowTrace& trace);

}  // namespace warpseq
