#include "reports/alignment_text.h"

#include <cstdio>

namespace warpseq {

namespace {

std::string print(const char* format, double value) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

/// Calls column(operation, query residue, target residue) along the path; the residue across a gap
/// is kPaddingCode.
template <typename Column>
void for_each_column(const Alignment& alignment, std::span<const ResidueCode> query,
                     std::span<const ResidueCode> aligned_target, const Column& column) {
    std::size_t q = alignment.query_begin, t = 0;
    for (const AlignmentRun& run : alignment.runs) {
        for (std::uint64_t i = 0; i < run.length; ++i) {
            const bool has_query = run.operation != AlignmentOperation::kDelete;
            const bool has_target = run.operation != AlignmentOperation::kInsert;
            column(run.operation, has_query ? query[q++] : kPaddingCode,
                   has_target ? aligned_target[t++] : kPaddingCode);
        }
    }
}

}  // namespace

AlignmentCounts count_alignment(const Alignment& alignment, std::span<const ResidueCode> query,
                                std::span<const ResidueCode> aligned_target, const SubstitutionMatrix& matrix) {
    AlignmentCounts counts;
    for (const AlignmentRun& run : alignment.runs) counts.gap_openings += run.operation != AlignmentOperation::kMatch;
    for_each_column(alignment, query, aligned_target, [&](AlignmentOperation operation, ResidueCode q, ResidueCode t) {
        ++counts.columns;
        if (operation != AlignmentOperation::kMatch) {
            ++counts.gap_columns;
            return;
        }
        ++(q == t ? counts.identities : counts.mismatches);
        counts.positives += matrix.score_raw(q, t) > 0;
    });
    return counts;
}

AlignmentText draw_alignment(const Alignment& alignment, std::span<const ResidueCode> query,
                             std::span<const ResidueCode> aligned_target, const SubstitutionMatrix& matrix,
                             std::string_view letters) {
    AlignmentText text;
    for_each_column(alignment, query, aligned_target, [&](AlignmentOperation operation, ResidueCode q, ResidueCode t) {
        const bool match = operation == AlignmentOperation::kMatch;
        text.query += operation == AlignmentOperation::kDelete ? '-' : letters[q];
        text.target += operation == AlignmentOperation::kInsert ? '-' : letters[t];
        text.middle += !match ? ' ' : q == t ? letters[q] : matrix.score_raw(q, t) > 0 ? '+' : ' ';
    });
    return text;
}

std::string cigar(const Alignment& alignment) {
    std::string text;
    for (const AlignmentRun& run : alignment.runs) {
        text += std::to_string(run.length);
        text += run.operation == AlignmentOperation::kMatch    ? 'M'
                : run.operation == AlignmentOperation::kInsert ? 'I'
                                                               : 'D';
    }
    return text;
}

std::string extended_cigar(const Alignment& alignment, std::span<const ResidueCode> query,
                           std::span<const ResidueCode> aligned_target) {
    std::string text;
    std::size_t q = alignment.query_begin, t = 0;
    for (const AlignmentRun& run : alignment.runs) {
        if (run.operation != AlignmentOperation::kMatch) {
            const bool insert = run.operation == AlignmentOperation::kInsert;
            text += std::to_string(run.length) + (insert ? 'I' : 'D');
            (insert ? q : t) += run.length;
            continue;
        }
        for (std::uint64_t i = 0, length; i < run.length; i += length) {
            const bool equal = query[q] == aligned_target[t];
            for (length = 0; i + length < run.length && (query[q] == aligned_target[t]) == equal; ++length, ++q, ++t) {
            }
            text += std::to_string(length) + (equal ? '=' : 'X');
        }
    }
    return text;
}

std::string btop(const AlignmentText& text) {
    std::string operations;
    std::uint64_t identities = 0;
    const auto flush = [&] {
        if (identities > 0) operations += std::to_string(identities);
        identities = 0;
    };
    for (std::size_t i = 0; i < text.query.size(); ++i) {
        if (text.query[i] == text.target[i]) {
            ++identities;
            continue;
        }
        flush();
        operations += text.query[i];
        operations += text.target[i];
    }
    flush();
    return operations;
}

std::string format_evalue(double evalue, bool pairwise) {
    if (evalue < 1e-180) return "0.0";
    if (evalue < 0.0009) return print(pairwise ? "%.0e" : "%.2e", evalue);
    if (evalue < 0.1) return print("%.3f", evalue);
    if (evalue < 1) return print("%.2f", evalue);
    if (evalue < 10) return print("%.1f", evalue);
    return print("%.0f", evalue);
}

std::string format_bits(double bits) {
    if (bits > 99999) return print("%.3e", bits);
    if (bits > 99.9) return std::to_string(static_cast<std::int64_t>(bits));
    return print("%.1f", bits);
}

}  // namespace warpseq
