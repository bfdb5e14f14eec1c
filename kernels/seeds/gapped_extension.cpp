// Gapped extensions around a back end's row kernel (kernels/seeds/gapped_extension_simd.h). The
// band's edges decide what cells exist and so the result, and they are kept here. Each condition
// below is part of the contract.
#include "kernels/seeds/gapped_extension.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kernels/backends/backend_table.h"
#include "kernels/seeds/gapped_extension_reference.h"
#include "kernels/seeds/gapped_extension_simd.h"

namespace warpseq {
namespace {

// Length from which targets are cut around a seed.
constexpr std::uint64_t kLongTarget = 90'000;
constexpr std::uint64_t kMostGapResidues = 3'000;

/// Rows between two looks at the stop. With a target of kLongTarget residues and a query as long,
/// this is a millisecond.
constexpr std::int64_t kRowsBetweenLooks = 32;

/// Space before column 0 of a row, so that column 0 is aligned and the column before it can be
/// read.
constexpr std::size_t kRowLead = AlignedBytes::kAlignmentBytes / sizeof(std::int32_t);

std::int64_t group_begin(std::int64_t column) { return column / ExtensionRowTask::kGroup * ExtensionRowTask::kGroup; }
std::int64_t group_end(std::int64_t columns) { return group_begin(columns + ExtensionRowTask::kGroup - 1); }

struct Cut {
    std::span<const ResidueCode> target;
    std::uint64_t seed, shift;
};

// Cuts a long target around a seed. `reach` is the query's residue from which extensions count,
// which differs by one between the forms.
Cut cut_long_target(std::span<const ResidueCode> target, std::uint64_t seed, std::uint64_t reach,
                    std::uint64_t query_residues) {
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

int x_drop_for(int x_drop_raw, GapCosts gaps) {
    return std::min<int>(std::max(x_drop_raw, gaps.first()), kHighestXDrop);
}

}  // namespace

/// The rows and columns of one direction, counted from 1 outward. Backward ones begin with the
/// seed's pair, forward ones behind it.
struct GappedExtender::Outward {
    const PairScores& scores;
    const ResidueCode* query;   // of row 1
    const ResidueCode* target;  // of column 1
    std::int64_t rows, columns;
    std::int64_t step;  // 1 or -1

    const auto& row(std::int64_t i) const { return scores.pairs[query[step * (i - 1)]]; }
    ResidueCode letter(std::int64_t j) const { return target[step * (j - 1)]; }
};

GappedExtender::GappedExtender(CpuBackend backend) {
    const BackendTable* const table = runnable_backend_table(backend);
    extend_row_ = table ? table->kernels.extend_row : reference::extend_row;
}

// Extends in one direction. Row 0 is the gap in the query that begins at the corner. The other rows
// are the back end's. Between rows the band is moved. Its begin moves to the first cell that was
// kept, its end behind the last one. If that was the row's last cell, the gap in the query may go
// on. One column more is computed, which only a pair can reach.
GappedExtender::End GappedExtender::extend_outward(const Outward& side, int x_drop, bool restricted, bool want_path) {
    End end;
    path_rows_.clear();
    if (side.rows <= 0 || side.columns <= 0) return end;
    const std::int32_t first_cost = side.scores.gaps.first(), extend_cost = side.scores.gaps.extend;
    const auto padded_columns = static_cast<std::size_t>(group_end(side.columns + 1));
    const auto reserve_row = [&](AlignedBytes& memory) {
        return reinterpret_cast<std::int32_t*>(memory.reserve((padded_columns + kRowLead) * sizeof(std::int32_t))) +
               kRowLead;
    };
    std::int32_t *h = reserve_row(h_[0]), *h_above = reserve_row(h_[1]);
    auto* const letters = reinterpret_cast<ResidueCode*>(letters_.reserve(padded_columns));
    std::int64_t letters_filled = 0;
    // Few alignments reach the target's end, so its letters are copied as the band moves on.
    const auto fill_letters = [&](std::int64_t until) {
        for (std::int64_t j = letters_filled; j < until; ++j)
            letters[j] = j >= 1 && j <= side.columns ? side.letter(j) : ResidueCode{0};
        letters_filled = std::max(letters_filled, until);
    };

    ExtensionRowTask row;
    row.letters = letters;
    row.gap = reserve_row(gap_);
    row.gap_first = first_cost;
    row.gap_extend = extend_cost;
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(std::size(row.extend_costs)); ++k)
        row.extend_costs[k] = k * extend_cost;
    row.x_drop = x_drop;
    row.every_target_gap = !restricted;
    row.steps = nullptr;
    row.best_raw = 0;
    row.first = 0;
    std::int64_t size = 0;
    const auto add_cell = [&](std::int32_t score) {
        h[size] = score;
        row.gap[size] = score - first_cost;
        ++size;
    };
    const auto add_query_gap = [&](std::int32_t score) {
        for (; size <= side.columns && score >= row.best_raw - x_drop; score -= extend_cost) add_cell(score);
    };
    add_cell(0);
    add_query_gap(-first_cost);
    if (want_path) {
        path_rows_.push_back({0, 0});
        steps_.assign(static_cast<std::size_t>(size), kStepQueryGap);
    }

    for (std::int64_t i = 1; i <= side.rows; ++i) {
        if (i % kRowsBetweenLooks == 0 && stop.stop_requested()) break;
        std::swap(h, h_above);
        const std::int64_t end_of_groups = group_end(size);
        fill_letters(end_of_groups);
        row.scores = side.row(i).data();
        row.h_above = h_above;
        row.h = h;
        row.size = size;
        row.query_gaps = !restricted || i % ExtensionRowTask::kGapSpacing == 0;
        if (want_path) {
            const std::int64_t first_column = group_begin(row.first);
            path_rows_.push_back({steps_.size(), first_column});
            steps_.resize(steps_.size() + static_cast<std::size_t>(end_of_groups - first_column));
            row.steps = steps_.data() + path_rows_.back().first_cell;
        }
        const std::int32_t best_before = row.best_raw;
        extend_row_(row);
        if (row.best_raw > best_before) end = {row.best_raw, i, row.best_column};
        row.first = row.first_kept;
        if (row.first == size) break;
        if (row.last_kept < size - 1) {
            size = row.last_kept + 1;
        } else {
            // In a restricted row the cell behind the band is reached at no more than the price of
            // a pair.
            std::int32_t query_gap = row.query_gap;
            if (!row.query_gaps)
                query_gap = size <= side.columns ? h_above[size - 1] + row.scores[side.letter(size)] : kDroppedCell;
            const std::int64_t before = size;
            add_query_gap(query_gap);
            if (want_path && size > before) {
                const PathRow& path_row = path_rows_.back();
                const auto cell = [&](std::int64_t j) {
                    return path_row.first_cell + static_cast<std::size_t>(j - path_row.first_column);
                };
                steps_.resize(std::max(steps_.size(), cell(size)));
                for (std::int64_t j = before; j < size; ++j) steps_[cell(j)] = kStepQueryGap;
            }
        }
        if (size <= side.columns) {
            h[size] = row.gap[size] = kDroppedCell;
            ++size;
        }
    }
    return end;
}

// Traces the path from the end back to the corner. A gap that reached a cell open goes on in the
// cell before it.
std::vector<AlignmentRun> GappedExtender::trace_to_corner(const End& end) const {
    std::vector<AlignmentRun> outward;
    std::int64_t i = end.rows, j = end.columns;
    unsigned operation = kStepPair;
    while (i > 0 || j > 0) {
        const PathRow& row = path_rows_[static_cast<std::size_t>(i)];
        const unsigned step = steps_[row.first_cell + static_cast<std::size_t>(j - row.first_column)];
        const bool goes_on = (operation == kStepQueryGap && (step & kQueryGapGoesOn) != 0) ||
                             (operation == kStepTargetGap && (step & kTargetGapGoesOn) != 0);
        if (!goes_on) operation = step & kStepMask;
        append(outward,
               operation == kStepPair        ? AlignmentOperation::kMatch
               : operation == kStepTargetGap ? AlignmentOperation::kInsert
                                             : AlignmentOperation::kDelete,
               1);
        if (operation != kStepQueryGap) --i;
        if (operation != kStepTargetGap) --j;
    }
    return outward;
}

GappedExtent GappedExtender::extend(const PairScores& scores, std::span<const ResidueCode> query,
                                    std::span<const ResidueCode> whole_target, std::uint64_t seed_query,
                                    std::uint64_t whole_seed_target, int x_drop_raw, Form form) {
    const int x_drop = x_drop_for(x_drop_raw, scores.gaps);
    const bool restricted = form == Form::kRestrictedScore;
    // BLAST cuts a long target by the residues up to the seed, the seed included.
    const Cut cut = cut_long_target(whole_target, whole_seed_target + 1, seed_query + 1, query.size());
    const std::span<const ResidueCode> target = cut.target;
    const std::uint64_t seed_target = cut.seed - 1;
    const auto signed_size = [](std::uint64_t size) { return static_cast<std::int64_t>(size); };

    const End left = extend_outward({scores, &query[seed_query], &target[seed_target], signed_size(seed_query) + 1,
                                     signed_size(seed_target) + 1, -1},
                                    x_drop, restricted, false);
    GappedExtent extent;
    extent.query_begin = seed_query + 1 - static_cast<std::uint64_t>(left.rows);
    extent.target_begin = cut.shift + seed_target + 1 - static_cast<std::uint64_t>(left.columns);
    extent.score_raw = left.score_raw;
    if (seed_query + 1 < query.size() && seed_target + 1 < target.size()) {
        const End right = extend_outward(
            {scores, &query[seed_query + 1], &target[seed_target + 1], signed_size(query.size() - seed_query) - 1,
             signed_size(target.size() - seed_target) - 1, 1},
            x_drop, restricted, false);
        extent.query_end = seed_query + 1 + static_cast<std::uint64_t>(right.rows);
        extent.target_end = cut.shift + seed_target + 1 + static_cast<std::uint64_t>(right.columns);
        extent.score_raw += right.score_raw;
    } else {
        extent.query_end = seed_query;
        extent.target_end = cut.shift + seed_target;
    }
    return extent;
}

Alignment GappedExtender::align(const PairScores& scores, std::span<const ResidueCode> query,
                                std::span<const ResidueCode> whole_target, std::uint64_t seed_query,
                                std::uint64_t whole_seed_target, int x_drop_raw) {
    const int x_drop = x_drop_for(x_drop_raw, scores.gaps);
    const Cut cut = cut_long_target(whole_target, whole_seed_target, seed_query, query.size());
    const std::span<const ResidueCode> target = cut.target;
    const std::uint64_t seed_target = cut.seed;
    const auto signed_size = [](std::uint64_t size) { return static_cast<std::int64_t>(size); };

    const End left = extend_outward({scores, &query[seed_query], &target[seed_target], signed_size(seed_query) + 1,
                                     signed_size(seed_target) + 1, -1},
                                    x_drop, false, true);
    std::vector<AlignmentRun> left_runs = trace_to_corner(left);
    const End right =
        extend_outward({scores, query.data() + seed_query + 1, target.data() + seed_target + 1,
                        signed_size(query.size() - seed_query) - 1, signed_size(target.size() - seed_target) - 1, 1},
                       x_drop, false, true);
    const std::vector<AlignmentRun> right_runs = trace_to_corner(right);
    Alignment alignment;
    alignment.score_raw = left.score_raw + right.score_raw;
    alignment.query_begin = seed_query + 1 - static_cast<std::uint64_t>(left.rows);
    alignment.query_end = seed_query + 1 + static_cast<std::uint64_t>(right.rows);
    alignment.target_begin = cut.shift + seed_target + 1 - static_cast<std::uint64_t>(left.columns);
    alignment.target_end = cut.shift + seed_target + 1 + static_cast<std::uint64_t>(right.columns);
    // The left runs begin at the far end already.
    alignment.runs = std::move(left_runs);
    for (auto run = right_runs.rbegin(); run != right_runs.rend(); ++run)
        append(alignment.runs, run->operation, run->length);

    // A gap at either end lowers the score.
    const auto drop = [&](const AlignmentRun& run, std::uint64_t& query_position, std::uint64_t& target_position,
                          bool at_begin) {
        alignment.score_raw += scores.gaps.open + static_cast<std::int64_t>(run.length) * scores.gaps.extend;
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
