#include "libcore/profile/row_trace.h"

#include <cstddef>

namespace warpseq {
namespace {

void follow_columns(std::span<const ResidueCode> row, const std::vector<bool>& is_match, RowTrace& trace) {
    trace.push_back({RowState::kBegin, 0, 0});
    std::int32_t node = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const auto column = static_cast<std::int32_t>(i + 1);
        if (is_match[i]) ++node;
        if (row[i] == kMissingCode) {
            if (trace.back().state != RowState::kMissing) trace.push_back({RowState::kMissing, node, 0});
        } else if (row[i] == kGapCode) {
            if (is_match[i]) trace.push_back({RowState::kDelete, node, 0});
        } else {
            trace.push_back({is_match[i] ? RowState::kMatch : RowState::kInsert, node, column});
        }
    }
    trace.push_back({RowState::kEnd, 0, 0});
}

/// Works from left to right, so that the left one of two deletes around a residue becomes a match.
void join_inserts_and_deletes(RowTrace& trace) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < trace.size(); ++i, ++kept) {
        const RowStep step = trace[i];
        const RowState next = i + 1 < trace.size() ? trace[i + 1].state : RowState::kEnd;
        if (step.state == RowState::kDelete && next == RowState::kInsert) {
            trace[kept] = {RowState::kMatch, step.node, trace[++i].column};
        } else if (step.state == RowState::kInsert && next == RowState::kDelete) {
            trace[kept] = {RowState::kMatch, trace[++i].node, step.column};
        } else {
            trace[kept] = step;
        }
    }
    trace.resize(kept);
}

}  // namespace

void trace_row(std::span<const ResidueCode> row, const std::vector<bool>& is_match, RowTrace& trace) {
    trace.clear();
    follow_columns(row, is_match, trace);
    join_inserts_and_deletes(trace);
}

std::vector<TraceStep> trace_of_residues(const RowTrace& trace) {
    std::vector<TraceStep> steps;
    std::int64_t residue = 0;
    for (const RowStep& step : trace) {
        switch (step.state) {
            case RowState::kMatch: steps.push_back({TraceState::kMatch, step.node, ++residue, 0}); break;
            case RowState::kInsert: steps.push_back({TraceState::kInsert, step.node, ++residue, 0}); break;
            case RowState::kDelete: steps.push_back({TraceState::kDelete, step.node, residue, 0}); break;
            case RowState::kBegin:
            case RowState::kMissing:
            case RowState::kEnd: break;
        }
    }
    return steps;
}

}  // namespace warpseq
