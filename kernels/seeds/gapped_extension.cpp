// Gapped extensions around a back end's row kernel (kernels/seeds/gapped_extension_simd.h). The
// band's edges decide what cells exist and so the result, and they are kept here. Each condition
// below is part of the contract.
#include "kernels/seeds/gapped_extension.h"

#include <algorithm>
#include <array>
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

template <class Score>
std::int64_t group_begin(std::int64_t column) {
    constexpr std::int64_t kGroup = ExtensionRowTask<Score>::kGroup;
    return column / kGroup * kGroup;
}
template <class Score>
std::int64_t group_end(std::int64_t columns) {
    return group_begin<Score>(columns + ExtensionRowTask<Score>::kGroup - 1);
}

/// Whether rows in 16 bits are exact (kernels/seeds/gapped_extension_simd.h).
bool fits_16_bits(const PairScores& scores, int x_drop) {
    constexpr auto kGroup = static_cast<std::int32_t>(ExtensionRowTask<std::int16_t>::kGroup);
    const auto is_cost = [](std::int64_t cost) { return cost >= 0 && cost <= kHighestCost; };
    if (!is_cost(x_drop) || !is_cost(scores.gaps.first()) || !is_cost(std::int64_t{kGroup} * scores.gaps.extend))
        return false;
    std::int32_t highest = 0;
    for (const auto& row : scores.pairs) highest = std::max(highest, std::ranges::max(row));
    return highest <= kHighestPair;
}

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

    ResidueCode residue(std::int64_t i) const { return query[step * (i - 1)]; }
    const auto& row(std::int64_t i) const { return scores.pairs[residue(i)]; }
    ResidueCode letter(std::int64_t j) const { return target[step * (j - 1)]; }
};

GappedExtender::GappedExtender(CpuBackend backend) {
    const BackendTable* const table = runnable_backend_table(backend);
    extend_row_32_bit_ = table ? table->kernels.extend_row_32_bit : reference::extend_row;
    if (!table) return;
    extend_row_16_bit_ = table->kernels.extend_row_16_bit;
    fill_scores_ = table->kernels.fill_extension_scores;
    vector_bytes_ = table->kernels.vector_bytes;
}

// Prepares extensions by these scores, in both directions.
void GappedExtender::begin(const PairScores& scores, int x_drop) {
    fits_16_bits_ = extend_row_16_bit_ && fits_16_bits(scores, x_drop);
    if (!fits_16_bits_) return;
    auto* const tables =
        reinterpret_cast<std::int16_t*>(tables_.reserve(kResidueTableSize * kResidueTableSize * sizeof(std::int16_t)));
    std::array<std::int16_t, kResidueTableSize> row;
    for (std::size_t code = 0; code < scores.pairs.size(); ++code) {
        std::ranges::transform(scores.pairs[code], row.begin(), [](std::int32_t score) {
            return static_cast<std::int16_t>(std::max(score, -kLowestPair));
        });
        fill_scores_(row.data(), tables + code * kResidueTableSize);
    }
    scores_16_bit_ = tables;
}

GappedExtender::End GappedExtender::extend_outward(const Outward& side, int x_drop, bool restricted, bool want_path) {
    return fits_16_bits_ ? extend_rows<std::int16_t>(side, x_drop, restricted, want_path)
                         : extend_rows<std::int32_t>(side, x_drop, restricted, want_path);
}

// Extends in one direction. Row 0 is the gap in the query that begins at the corner. The other rows
// are the back end's. Between rows the band is moved. Its begin moves to the first cell that was
// kept, its end behind the last one. If that was the row's last cell, the gap in the query may go
// on. One column more is computed, which only a pair can reach. In 16 bits scores are relative to a
// base.
template <class Score>
GappedExtender::End GappedExtender::extend_rows(const Outward& side, int x_drop, bool restricted, bool want_path) {
    using Task = ExtensionRowTask<Score>;
    constexpr bool kIsRelative = sizeof(Score) == 2;
    End end;
    path_rows_.clear();
    if (side.rows <= 0 || side.columns <= 0) return end;
    const std::int32_t first_cost = side.scores.gaps.first(), extend_cost = side.scores.gaps.extend;
    const auto padded_columns = static_cast<std::size_t>(group_end<Score>(side.columns + 1));
    const auto reserve_row = [&](AlignedBytes& memory) {
        return reinterpret_cast<Score*>(memory.reserve(padded_columns * sizeof(Score)));
    };
    Score *h = reserve_row(h_[0]), *h_above = reserve_row(h_[1]);
    auto* const letters = reinterpret_cast<ResidueCode*>(letters_.reserve(padded_columns));
    std::int64_t letters_filled = 0;
    // Few alignments reach the target's end, so its letters are copied as the band moves on.
    const auto fill_letters = [&](std::int64_t until) {
        for (std::int64_t j = letters_filled; j < until; ++j)
            letters[j] = j >= 1 && j <= side.columns ? side.letter(j) : ResidueCode{0};
        letters_filled = std::max(letters_filled, until);
    };

    Task row;
    row.letters = letters;
    row.gap = reserve_row(gap_);
    row.gap_first = first_cost;
    row.gap_extend = extend_cost;
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(std::size(row.extend_costs)); ++k)
        row.extend_costs[k] = static_cast<Score>(k * extend_cost);
    row.x_drop = x_drop;
    row.every_target_gap = !restricted;
    row.steps = nullptr;
    row.best_raw = 0;
    row.query_gap = Task::kDropped;
    row.first = row.first_vector = 0;
    const auto lanes = static_cast<std::int64_t>(vector_bytes_ / sizeof(Score));
    std::int32_t base_raw = 0;
    std::int64_t size = 0;
    const auto add_cell = [&](std::int32_t score) {
        h[size] = static_cast<Score>(score);
        row.gap[size] = static_cast<Score>(score - first_cost);
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
        const std::int64_t end_of_groups = group_end<Score>(size);
        fill_letters(end_of_groups);
        if constexpr (kIsRelative) {
            row.scores = scores_16_bit_ + std::size_t{side.residue(i)} * kResidueTableSize;
        } else {
            row.scores = side.row(i).data();
        }
        row.h_above = h_above;
        row.h = h;
        row.size = size;
        row.query_gaps = !restricted || i % Task::kGapSpacing == 0;
        if (want_path) {
            const std::int64_t first_column = group_begin<Score>(row.first);
            path_rows_.push_back({steps_.size(), first_column});
            steps_.resize(steps_.size() + static_cast<std::size_t>(end_of_groups - first_column));
            row.steps = steps_.data() + path_rows_.back().first_cell;
        }
        const std::int32_t best_before = row.best_raw;
        run_row(row);
        if (row.best_raw > best_before) end = {base_raw + row.best_raw, i, row.best_column};
        row.first = row.first_kept;
        if (row.first == size) break;
        // The addresses of the next row's first vector depend on a predicted branch, not on the
        // number of a column that is known late.
        if (row.first >= row.first_vector + lanes) [[unlikely]]
            row.first_vector = row.first / lanes * lanes;
        const bool is_last_kept = row.last_kept == size - 1;
        size = row.last_kept + 1;
        std::int32_t query_gap = row.query_gap;
        if (!row.query_gaps) {
            // In a restricted row the cell behind the band is reached at no more than the price of
            // a pair.
            query_gap = size <= side.columns ? h_above[size - 1] + side.row(i)[side.letter(size)] : Task::kDropped;
        }
        // Both are tested in one branch, because a branch on either alone is often mispredicted.
        if (static_cast<int>(is_last_kept) & static_cast<int>(query_gap >= row.best_raw - x_drop)) {
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
            // Mostly the kernel has dropped this cell with the vector that it is in. Another store
            // would keep the next row's load of this vector waiting for both. At a multiple of the
            // lanes a new vector begins, to which nothing has been written yet.
            const bool is_new = size % lanes == 0;
            if (is_new || h[size] != Task::kDropped) h[size] = Task::kDropped;
            if (is_new || row.gap[size] != Task::kDropped) row.gap[size] = Task::kDropped;
            ++size;
        }
        if constexpr (kIsRelative) {
            if (row.best_raw <= kHighestBest) continue;
            const std::int32_t moved = std::exchange(row.best_raw, 0);
            base_raw += moved;
            const auto move = [&](Score score) {
                return static_cast<Score>(std::max<std::int32_t>(score - moved, Task::kDropped));
            };
            std::transform(h + row.first, h + size, h + row.first, move);
            std::transform(row.gap + row.first, row.gap + size, row.gap + row.first, move);
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
    begin(scores, x_drop);
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
    begin(scores, x_drop);
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
