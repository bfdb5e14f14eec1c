// One row of cells is kept, and of it only the band that the X-drop leaves: columns first .. size - 1. A row reads the cells of the
// row above in place, and may add columns at its right end, where the gap in the query still scores well enough. The band's edges
// decide which cells exist, and so the result; each condition below is part of the contract.
#include "kernels/gapped_extension.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace warpseq {
namespace {

constexpr std::int32_t kNothing = std::numeric_limits<std::int32_t>::min() / 2;

constexpr std::int64_t kGapSpacing = 10;  // of the rows and columns where a restricted gap may begin

// Targets from this length on are cut around a seed.
constexpr std::uint64_t kLongTarget = 90'000;
constexpr std::uint64_t kMostGapResidues = 3'000;

// What a cell of a path came from (low bits), and whether the gaps that leave it were already open when they reached it.
enum Step : unsigned { kPair = 0, kTargetGap = 1, kQueryGap = 2, kStepMask = 3, kTargetGapGoesOn = 4, kQueryGapGoesOn = 8 };

struct Cut {
    std::span<const ResidueCode> target;
    std::uint64_t seed, shift;
};

// `reach` is the query's residue from which extensions count: they differ by one between the forms.
Cut cut_long_target(std::span<const ResidueCode> target, std::uint64_t seed, std::uint64_t reach, std::uint64_t query_residues) {
    if (target.size() < kLongTarget) return {target, seed, 0};
    const std::uint64_t left = reach + kMostGapResidues, right = query_residues - reach + kMostGapResidues;
    const std::uint64_t shift = seed <= left ? 0 : seed - left;
    const std::uint64_t end = std::min<std::uint64_t>(target.size(), seed + right);
    return {target.subspan(shift, end - shift), seed - shift, shift};
}

void append(std::vector<AlignmentRun>& runs, AlignmentOperation operation, std::uint64_t length) {
    if (!runs.empty() && runs.back().operation == operation) {
        runs.back().length += length;
    } else {
        runs.push_back({operation, length});
    }
}

}  // namespace

/// The rows and columns of one direction, counted from 1 outward. Backward ones begin with the seed's pair, forward ones behind it.
template <bool forward>
struct GappedExtender::Outward {
    const SubstitutionMatrix& matrix;
    const ResidueCode* query;   // of row 1
    const ResidueCode* target;  // of column 1
    std::int64_t rows, columns;

    const SubstitutionMatrix::Row& row(std::int64_t i) const { return matrix.row(forward ? query[i - 1] : query[1 - i]); }
    ResidueCode letter(std::int64_t j) const { return forward ? target[j - 1] : target[1 - j]; }
};

// The gap in the query that begins at the corner. Returns the number of columns.
template <class Side>
std::int64_t GappedExtender::fill_first_row(const Side& side, int x_drop) {
    const std::int32_t first = scheme_.gaps.first();
    cells_.resize(std::max(cells_.size(), static_cast<std::size_t>(side.columns) + 2));
    cells_[0] = {0, -first};
    std::int32_t h = -first;
    std::int64_t size = 1;
    for (; size <= side.columns && h >= -x_drop; ++size, h -= scheme_.gaps.extend) {
        cells_[static_cast<std::size_t>(size)] = {h, h - first};
    }
    return size;
}

template <class Side>
GappedExtender::End GappedExtender::extend_score(const Side& side, int x_drop) {
    End end;
    if (side.rows <= 0 || side.columns <= 0) return end;
    const std::int32_t first_cost = scheme_.gaps.first(), extend_cost = scheme_.gaps.extend;
    std::int64_t size = fill_first_row(side, x_drop), first = 0;
    Cell* const cells = cells_.data();
    for (std::int64_t i = 1; i <= side.rows; ++i) {
        const auto& scores = side.row(i);
        std::int32_t h = kNothing, query_gap = kNothing;
        std::int64_t last = first;
        for (std::int64_t j = first; j < size; ++j) {
            Cell& cell = cells[j];
            std::int32_t target_gap = cell.gap;
            const std::int32_t next = j < side.columns ? cell.h + scores[side.letter(j + 1)] : kNothing;
            h = std::max({h, target_gap, query_gap});
            if (end.score_raw - h > x_drop) {
                if (j == first) {
                    ++first;
                } else {
                    cell.h = kNothing;
                }
            } else {
                last = j;
                if (h > end.score_raw) end = {h, i, j};
                query_gap = std::max(h - first_cost, query_gap - extend_cost);
                cell.gap = std::max(h - first_cost, target_gap - extend_cost);
                cell.h = h;
            }
            h = next;
        }
        if (first == size) break;
        if (last < size - 1) {
            size = last + 1;
        } else {
            for (; query_gap >= end.score_raw - x_drop && size <= side.columns; ++size, query_gap -= extend_cost) {
                cells[size] = {query_gap, query_gap - first_cost};
            }
        }
        if (size <= side.columns) cells[size++] = {kNothing, kNothing};
    }
    return end;
}

template <class Side>
GappedExtender::End GappedExtender::extend_restricted(const Side& side, int x_drop) {
    End end;
    if (side.rows <= 0 || side.columns <= 0) return end;
    const std::int32_t first_cost = scheme_.gaps.first(), extend_cost = scheme_.gaps.extend;
    std::int64_t size = fill_first_row(side, x_drop), first = 0;
    std::int64_t gap_column = 0;  // the next one where a gap in the target may be
    Cell* const cells = cells_.data();
    for (std::int64_t i = 1; i <= side.rows; ++i) {
        const auto& scores = side.row(i);
        const bool gap_row = i % kGapSpacing == 0;
        std::int32_t h = kNothing, query_gap = kNothing;
        std::int64_t last = first;
        for (std::int64_t j = first; j < size; ++j) {
            Cell& cell = cells[j];
            const std::int32_t next = j < side.columns ? cell.h + scores[side.letter(j + 1)] : kNothing;
            const bool in_gap_column = j == gap_column;
            const std::int32_t target_gap = cell.gap;
            if (in_gap_column) {
                gap_column += kGapSpacing;
                h = std::max(h, target_gap);
            }
            if (gap_row) h = std::max(h, query_gap);
            if (end.score_raw - h > x_drop) {
                cell.h = kNothing;
                if (j == first) ++first;
            } else {
                last = j;
                if (h > end.score_raw) end = {h, i, j};
                if (gap_row) query_gap = std::max(h - first_cost, query_gap - extend_cost);
                if (in_gap_column) cell.gap = std::max(h - first_cost, target_gap - extend_cost);
                cell.h = h;
            }
            h = next;
        }
        if (!gap_row) query_gap = h;
        if (first == size) break;
        gap_column = (first + kGapSpacing - 1) / kGapSpacing * kGapSpacing;
        if (last < size - 1) {
            size = last + 1;
        } else {
            for (; query_gap >= end.score_raw - x_drop && size <= side.columns; ++size, query_gap -= extend_cost) {
                cells[size] = {query_gap, query_gap - first_cost};
            }
        }
        if (size <= side.columns) cells[size++] = {kNothing, kNothing};
    }
    return end;
}

// Steps are kept for every cell that was looked at. `outward` gets the runs from the end back to the corner.
template <class Side>
GappedExtender::End GappedExtender::extend_path(const Side& side, int x_drop, std::vector<AlignmentRun>& outward) {
    End end;
    outward.clear();
    if (side.rows <= 0 || side.columns <= 0) return end;
    const std::int32_t first_cost = scheme_.gaps.first(), extend_cost = scheme_.gaps.extend;
    std::int64_t size = fill_first_row(side, x_drop), first = 0;
    Cell* const cells = cells_.data();
    path_rows_.assign(1, {0, 0});
    steps_.assign(static_cast<std::size_t>(size), kQueryGap);
    for (std::int64_t i = 1; i <= side.rows; ++i) {
        const auto& scores = side.row(i);
        path_rows_.push_back({steps_.size(), first});
        const std::int64_t row_first = first;
        steps_.resize(steps_.size() + static_cast<std::size_t>(size - first));
        std::uint8_t* const steps = steps_.data() + path_rows_.back().first_cell;
        std::int32_t h = kNothing, query_gap = kNothing;
        std::int64_t last = first;
        for (std::int64_t j = first; j < size; ++j) {
            Cell& cell = cells[j];
            std::int32_t target_gap = cell.gap;
            const std::int32_t next = j < side.columns ? cell.h + scores[side.letter(j + 1)] : kNothing;
            // Without branches: which predecessor wins cannot be foretold.
            unsigned step = h < target_gap ? kTargetGap : kPair;
            h = std::max(h, target_gap);
            step = h < query_gap ? kQueryGap : step;
            h = std::max(h, query_gap);
            if (end.score_raw - h > x_drop) {
                if (j == first) {
                    ++first;
                } else {
                    cell.h = kNothing;
                }
            } else {
                last = j;
                if (h > end.score_raw) end = {h, i, j};
                const std::int32_t opened = h - first_cost;
                query_gap -= extend_cost;
                target_gap -= extend_cost;
                step |= target_gap < opened ? 0u : kTargetGapGoesOn;
                step |= query_gap < opened ? 0u : kQueryGapGoesOn;
                query_gap = std::max(query_gap, opened);
                cell.gap = std::max(target_gap, opened);
                cell.h = h;
            }
            steps[j - row_first] = static_cast<std::uint8_t>(step);
            h = next;
        }
        if (first == size) break;
        if (last < size - 1) {
            size = last + 1;
        } else {
            const std::int64_t before = size;
            for (; query_gap >= end.score_raw - x_drop && size <= side.columns; ++size, query_gap -= extend_cost) {
                cells[size] = {query_gap, query_gap - first_cost};
            }
            steps_.resize(steps_.size() + static_cast<std::size_t>(size - before), kQueryGap);
        }
        if (size <= side.columns) cells[size++] = {kNothing, kNothing};
    }

    // A gap that reached a cell open goes on in the cell before it.
    std::int64_t i = end.rows, j = end.columns;
    unsigned operation = kPair;
    while (i > 0 || j > 0) {
        const PathRow& row = path_rows_[static_cast<std::size_t>(i)];
        const unsigned step = steps_[row.first_cell + static_cast<std::size_t>(j - row.first_column)];
        const bool goes_on = (operation == kQueryGap && (step & kQueryGapGoesOn) != 0) ||
                             (operation == kTargetGap && (step & kTargetGapGoesOn) != 0);
        if (!goes_on) operation = step & kStepMask;
        append(outward,
               operation == kPair        ? AlignmentOperation::kMatch
               : operation == kTargetGap ? AlignmentOperation::kInsert
                                         : AlignmentOperation::kDelete,
               1);
        if (operation != kQueryGap) --i;
        if (operation != kTargetGap) --j;
    }
    return end;
}

GappedExtent GappedExtender::extend(std::span<const ResidueCode> query, std::span<const ResidueCode> whole_target,
                                    std::uint64_t seed_query, std::uint64_t whole_seed_target, int x_drop_raw, Form form) {
    const int x_drop = std::max(x_drop_raw, scheme_.gaps.first());
    const auto extended = [&](const auto& side) {
        return form == Form::kScore ? extend_score(side, x_drop) : extend_restricted(side, x_drop);
    };
    // BLAST cuts a long target by the residues up to the seed, the seed included.
    const Cut cut = cut_long_target(whole_target, whole_seed_target + 1, seed_query + 1, query.size());
    const std::span<const ResidueCode> target = cut.target;
    const std::uint64_t seed_target = cut.seed - 1;
    const auto signed_size = [](std::uint64_t size) { return static_cast<std::int64_t>(size); };

    const End left = extended(Outward<false>{scheme_.matrix, &query[seed_query], &target[seed_target], signed_size(seed_query) + 1,
                                          signed_size(seed_target) + 1});
    GappedExtent extent;
    extent.query_begin = seed_query + 1 - static_cast<std::uint64_t>(left.rows);
    extent.target_begin = cut.shift + seed_target + 1 - static_cast<std::uint64_t>(left.columns);
    extent.score_raw = left.score_raw;
    if (seed_query + 1 < query.size() && seed_target + 1 < target.size()) {
        const End right = extended(Outward<true>{scheme_.matrix, &query[seed_query + 1], &target[seed_target + 1],
                                              signed_size(query.size() - seed_query) - 1, signed_size(target.size() - seed_target) - 1});
        extent.query_end = seed_query + 1 + static_cast<std::uint64_t>(right.rows);
        extent.target_end = cut.shift + seed_target + 1 + static_cast<std::uint64_t>(right.columns);
        extent.score_raw += right.score_raw;
    } else {
        extent.query_end = seed_query;
        extent.target_end = cut.shift + seed_target;
    }
    return extent;
}

Alignment GappedExtender::align(std::span<const ResidueCode> query, std::span<const ResidueCode> whole_target,
                                std::uint64_t seed_query, std::uint64_t whole_seed_target, int x_drop_raw) {
    const int x_drop = std::max(x_drop_raw, scheme_.gaps.first());
    const Cut cut = cut_long_target(whole_target, whole_seed_target, seed_query, query.size());
    const std::span<const ResidueCode> target = cut.target;
    const std::uint64_t seed_target = cut.seed;
    const auto signed_size = [](std::uint64_t size) { return static_cast<std::int64_t>(size); };

    std::vector<AlignmentRun> left_runs, right_runs;
    const End left = extend_path(Outward<false>{scheme_.matrix, &query[seed_query], &target[seed_target], signed_size(seed_query) + 1,
                                             signed_size(seed_target) + 1},
                                 x_drop, left_runs);
    const End right = extend_path(Outward<true>{scheme_.matrix, query.data() + seed_query + 1, target.data() + seed_target + 1,
                                             signed_size(query.size() - seed_query) - 1, signed_size(target.size() - seed_target) - 1},
                                  x_drop, right_runs);
    Alignment alignment;
    alignment.score_raw = left.score_raw + right.score_raw;
    alignment.query_begin = seed_query + 1 - static_cast<std::uint64_t>(left.rows);
    alignment.query_end = seed_query + 1 + static_cast<std::uint64_t>(right.rows);
    alignment.target_begin = cut.shift + seed_target + 1 - static_cast<std::uint64_t>(left.columns);
    alignment.target_end = cut.shift + seed_target + 1 + static_cast<std::uint64_t>(right.columns);
    // The left runs begin at the far end already.
    alignment.runs = std::move(left_runs);
    for (auto run = right_runs.rbegin(); run != right_runs.rend(); ++run) append(alignment.runs, run->operation, run->length);

    // A gap at either end is worth less than nothing.
    const auto drop = [&](const AlignmentRun& run, std::uint64_t& query_position, std::uint64_t& target_position, bool at_begin) {
        alignment.score_raw += scheme_.gaps.open + static_cast<std::int64_t>(run.length) * scheme_.gaps.extend;
        std::uint64_t& position = run.operation == AlignmentOperation::kDelete ? target_position : query_position;
        position += at_begin ? run.length : -run.length;
    };
    auto& runs = alignment.runs;
    const auto pair = std::ranges::find(runs, AlignmentOperation::kMatch, &AlignmentRun::operation);
    for (auto run = runs.begin(); run != pair; ++run) drop(*run, alignment.query_begin, alignment.target_begin, true);
    runs.erase(runs.begin(), pair);
    while (!runs.empty() && runs.back().operation != AlignmentOperation::kMatch) {
        drop(runs.back(), alignment.query_end, alignment.target_end, false);
        runs.pop_back();
    }
    return alignment;
}

}  // namespace warpseq
