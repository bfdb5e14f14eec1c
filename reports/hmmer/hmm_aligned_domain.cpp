#include "reports/hmmer/hmm_aligned_domain.h"

#include <cctype>
#include <cstdint>
#include <utility>

#include "reports/hmmer/hmm_alignment_display.h"

namespace warpseq {
namespace {

char upper(char letter) { return static_cast<char>(std::toupper(static_cast<unsigned char>(letter))); }

AlignmentOperation operation_of(TraceState state) {
    switch (state) {
        case TraceState::kInsert: return AlignmentOperation::kDelete;
        case TraceState::kDelete: return AlignmentOperation::kInsert;
        default: return AlignmentOperation::kMatch;
    }
}

}  // namespace

HmmAlignedDomain align_to_consensus(const HmmModel& model, const HmmDomain& domain) {
    HmmAlignmentLines lines = draw_alignment(model, domain);
    HmmAlignedDomain aligned;
    Alignment& alignment = aligned.alignment;
    alignment.query_begin = static_cast<std::uint64_t>(domain.node_from - 1);
    alignment.query_end = static_cast<std::uint64_t>(domain.node_to);
    alignment.target_begin = static_cast<std::uint64_t>(domain.alignment_from - 1);
    alignment.target_end = static_cast<std::uint64_t>(domain.alignment_to);
    for (std::size_t column = 0; column < domain.trace.size(); ++column) {
        const AlignmentOperation operation = operation_of(domain.trace[column].state);
        if (alignment.runs.empty() || alignment.runs.back().operation != operation) {
            alignment.runs.push_back({operation, 0});
            aligned.counts.gap_openings += operation != AlignmentOperation::kMatch;
        }
        ++alignment.runs.back().length;
        ++aligned.counts.columns;
        const char match = lines.match[column];
        aligned.text.query += operation == AlignmentOperation::kDelete ? '-' : upper(lines.model[column]);
        aligned.text.middle += upper(match);
        aligned.text.target += upper(lines.target[column]);
        if (operation != AlignmentOperation::kMatch) {
            ++aligned.counts.gap_columns;
            continue;
        }
        const bool identical = match != ' ' && match != '+';
        ++(identical ? aligned.counts.identities : aligned.counts.mismatches);
        aligned.counts.positives += match != ' ';
    }
    aligned.posterior = std::move(lines.posterior);
    return aligned;
}

HmmAlignedDomain exchanged(HmmAlignedDomain aligned) {
    Alignment& alignment = aligned.alignment;
    std::swap(alignment.query_begin, alignment.target_begin);
    std::swap(alignment.query_end, alignment.target_end);
    std::swap(aligned.text.query, aligned.text.target);
    for (auto& run : alignment.runs) {
        if (run.operation == AlignmentOperation::kMatch) continue;
        run.operation =
            run.operation == AlignmentOperation::kInsert ? AlignmentOperation::kDelete : AlignmentOperation::kInsert;
    }
    return aligned;
}

}  // namespace warpseq
