// The reference for all pair alignments. It keeps H, E and F of every cell in memory, and follows
// the rules of kernels/pair/pair_alignment.h and kernels/pair/pair_trace.h to the letter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/pair/pair_alignment.h"
#include "libcore/scoring/alignment.h"
#include "libcore/scoring/scoring.h"

namespace warpseq::testing {

/// Returns the alignment of a pair. `forbidden`, m x n row by row, is 1 for pairs of residues that
/// must not be aligned with each other. If it is empty, all pairs are allowed.
inline Alignment naive_pair_alignment(const PairProblem& problem, const ScoringScheme& scheme,
                                      const std::vector<std::uint8_t>& forbidden = {}) {
    constexpr std::int64_t kMinusInfinity = -(std::int64_t{1} << 40);
    const std::size_t m = problem.query.size(), n = problem.target.size();
    const std::int64_t open = scheme.gaps.open, first = scheme.gaps.first(), extend = scheme.gaps.extend;
    const FreeEnds& free = problem.free_ends;
    const auto at = [n](std::size_t i, std::size_t j) { return i * (n + 1) + j; };
    std::vector<std::int64_t> h((m + 1) * (n + 1), 0), e(h.size(), kMinusInfinity), f(h.size(), kMinusInfinity);
    if (!problem.local && !free.target_begin) {
        for (std::size_t j = 1; j <= n; ++j) h[at(0, j)] = -open - static_cast<std::int64_t>(j) * extend;
    }
    if (!problem.local && !free.query_begin) {
        for (std::size_t i = 1; i <= m; ++i) h[at(i, 0)] = -open - static_cast<std::int64_t>(i) * extend;
    }
    const auto score = [&](std::size_t i, std::size_t j) -> std::int64_t {
        if (!forbidden.empty() && forbidden[(i - 1) * n + j - 1] != 0) return kMinusInfinity;
        return scheme.matrix.score_raw(problem.query[i - 1], problem.target[j - 1]);
    };
    for (std::size_t i = 1; i <= m; ++i) {
        for (std::size_t j = 1; j <= n; ++j) {
            e[at(i, j)] = std::max(e[at(i, j - 1)] - extend, h[at(i, j - 1)] - first);
            f[at(i, j)] = std::max(f[at(i - 1, j)] - extend, h[at(i - 1, j)] - first);
            h[at(i, j)] = std::max({h[at(i - 1, j - 1)] + score(i, j), e[at(i, j)], f[at(i, j)]});
            if (problem.local) h[at(i, j)] = std::max(h[at(i, j)], std::int64_t{0});
        }
    }
    std::size_t i = m, j = n;
    for (std::size_t column = 0; column <= n; ++column) {
        for (std::size_t row = 0; row <= m; ++row) {
            const bool is_end = problem.local || (row == m && free.target_end) || (column == n && free.query_end);
            const bool is_earlier = column != j ? column < j : row < i;
            if (!is_end) continue;
            if (h[at(row, column)] > h[at(i, j)] || (h[at(row, column)] == h[at(i, j)] && is_earlier)) {
                i = row;
                j = column;
            }
        }
    }
    Alignment alignment;
    alignment.score_raw = h[at(i, j)];
    alignment.query_end = i;
    alignment.target_end = j;
    const auto add = [&alignment](AlignmentOperation operation) {
        if (alignment.runs.empty() || alignment.runs.back().operation != operation) {
            alignment.runs.push_back({operation, 0});
        }
        ++alignment.runs.back().length;
    };
    char state = 'H';
    while (i > 0 && j > 0) {
        if (state == 'H') {
            if (problem.local && h[at(i, j)] == 0) break;
            if (h[at(i, j)] == h[at(i - 1, j - 1)] + score(i, j)) {
                add(AlignmentOperation::kMatch);
                --i;
                --j;
            } else {
                state = h[at(i, j)] == f[at(i, j)] ? 'F' : 'E';
            }
        } else if (state == 'F') {
            add(AlignmentOperation::kInsert);
            if (f[at(i, j)] == h[at(i - 1, j)] - first) state = 'H';
            --i;
        } else {
            add(AlignmentOperation::kDelete);
            if (e[at(i, j)] == h[at(i, j - 1)] - first) state = 'H';
            --j;
        }
    }
    if (!problem.local && i == 0 && !free.target_begin) {
        for (; j > 0; --j) add(AlignmentOperation::kDelete);
    }
    if (!problem.local && j == 0 && !free.query_begin) {
        for (; i > 0; --i) add(AlignmentOperation::kInsert);
    }
    if (alignment.runs.empty()) return {};
    alignment.query_begin = i;
    alignment.target_begin = j;
    std::reverse(alignment.runs.begin(), alignment.runs.end());
    return alignment;
}

/// Returns an alignment as "SCORE query FROM-TO target FROM-TO 4M1I3M", for messages of tests.
inline std::string to_text(const Alignment& alignment) {
    std::string text = std::to_string(alignment.score_raw) + " query " + std::to_string(alignment.query_begin) + "-" +
                       std::to_string(alignment.query_end) + " target " + std::to_string(alignment.target_begin) + "-" +
                       std::to_string(alignment.target_end) + " ";
    for (const AlignmentRun& run : alignment.runs) {
        text += std::to_string(run.length);
        text += "MID"[static_cast<int>(run.operation)];
    }
    return text;
}

/// Returns a matrix with `match` on the diagonal and `mismatch` elsewhere.
inline SubstitutionMatrix match_mismatch(int match, int mismatch) {
    SubstitutionMatrix::Table table{};
    for (std::size_t q = 0; q < table.size(); ++q) {
        for (std::size_t t = 0; t < table.size(); ++t) {
            table[q][t] = static_cast<std::int8_t>(q == t ? match : mismatch);
        }
    }
    return SubstitutionMatrix("match", table);
}

}  // namespace warpseq::testing
