// Finds one optimal local alignment with its path.
//
// A first sweep over all columns (target residues) finds the score and the column where it is first
// reached. It keeps H and E of up to kCheckpoints columns. Then the ranges of columns between
// checkpoints are swept again with a direction matrix, from the one that holds the end leftwards,
// until the path has reached its begin. Only query rows up to the path's current row are swept. A
// range whose direction matrix would exceed the limit is cut again by checkpoints of its own.
// Memory is O(query residues * log target residues) and the direction matrix. The path does not
// depend on where ranges are cut, because the directions of a cell do not. Everything is computed
// in lanes of 16 bits, and again in 32 if the score is too high for them. It is computed in 32 at
// once where gap costs or scores of the pair's letters are too high.
#include "kernels/smith_waterman/local_alignment.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/backends/backend_table.h"
#include "kernels/simd/aligned_bytes.h"

namespace warpseq {
namespace {

constexpr std::int16_t kLowestLane16Bit = std::numeric_limits<std::int16_t>::min();
constexpr std::size_t kCheckpoints = 32;
constexpr std::size_t kShortestRange = 32;  // columns; shorter ranges cost more in checkpoints than they save

class LocalAligner {
   public:
    LocalAligner(const KernelTable& kernels, std::span<const ResidueCode> query, std::span<const ResidueCode> target,
                 const PairScores& scores, const LocalAlignmentLimits& limits)
        : kernels_(kernels), query_(query), target_(target), scores_(scores), limits_(limits) {}

    Alignment align() {
        if (std::max(scores_.gaps.first(), scores_.gaps.extend) <= kHighestCost16Bit && make_profile<std::int16_t>()) {
            Alignment alignment = align_in(sizeof(std::int16_t));
            if (alignment.score_raw != kSaturated16Bit) return alignment;
        }
        make_profile<std::int32_t>();
        return align_in(sizeof(std::int32_t));
    }

   private:
    enum class State { kFindRow, kH, kE, kF, kDone };

    // H and E of one column, before or after some range of columns, in lanes of lane_bytes_.
    struct Column {
        AlignedBytes memory;
        std::byte* h = nullptr;
        std::byte* e = nullptr;
    };

    // The columns that stand before range 0, 1, ... . Range r begins at column begin + r * width.
    struct Checkpoints {
        std::size_t begin = 0, width = 0;
        std::vector<Column> before;
    };

    // Aligns in lanes of this width. In 16 bits, only the score is set if it is kSaturated16Bit.
    Alignment align_in(std::size_t lane_bytes) {
        lane_bytes_ = lane_bytes;
        lanes_ = kernels_.vector_bytes / lane_bytes;
        state_ = State::kFindRow;
        row_ = query_.size() - 1;
        alignment_ = {};
        const std::size_t ranges = std::clamp<std::size_t>(target_.size() / kShortestRange, 1, kCheckpoints);
        std::size_t end_column = 0;
        const Checkpoints checkpoints = sweep(0, target_.size(), ranges, column_of_zeros(), &end_column);
        if (alignment_.score_raw == 0 || is_saturated() || is_stopped()) return std::move(alignment_);
        column_ = end_column;
        trace(checkpoints, end_column + 1);
        std::reverse(alignment_.runs.begin(), alignment_.runs.end());
        return std::move(alignment_);
    }

    bool is_saturated() const { return lane_bytes_ == sizeof(std::int16_t) && alignment_.score_raw == kSaturated16Bit; }

    bool is_stopped() const { return limits_.stop.stop_requested(); }

    // vectors() returns the query rows that still matter, in vectors, and column_bytes() the bytes
    // of their lanes.
    std::size_t vectors() const { return row_ / lanes_ + 1; }
    std::size_t column_bytes() const { return vectors() * kernels_.vector_bytes; }

    Column make_column() const {
        Column column;
        const std::size_t half_bytes = (column_bytes() + AlignedBytes::kAlignmentBytes - 1) /
                                       AlignedBytes::kAlignmentBytes * AlignedBytes::kAlignmentBytes;
        column.h = column.memory.reserve(2 * half_bytes);
        column.e = column.h + half_bytes;
        return column;
    }

    Column column_of_zeros() const {
        Column column = make_column();
        for (std::byte* const lanes : {column.h, column.e}) {
            if (lane_bytes_ == sizeof(std::int16_t)) {
                std::fill_n(reinterpret_cast<std::int16_t*>(lanes), vectors() * lanes_, kLowestLane16Bit);
            } else {
                std::memset(lanes, 0, column_bytes());
            }
        }
        return column;
    }

    Column copy_of(const Column& other) const {
        Column column = make_column();
        std::memcpy(column.h, other.h, column_bytes());
        std::memcpy(column.e, other.e, column_bytes());
        return column;
    }

    // Returns the first query row whose H is the score.
    std::size_t row_of_score(const Column& column) const {
        for (std::size_t row = 0; row < query_.size(); ++row) {
            const std::int64_t h_raw =
                lane_bytes_ == sizeof(std::int16_t)
                    ? std::int64_t{reinterpret_cast<const std::int16_t*>(column.h)[row]} - kLowestLane16Bit
                    : std::int64_t{reinterpret_cast<const std::int32_t*>(column.h)[row]};
            if (h_raw == alignment_.score_raw) return row;
        }
        assert(false);
        return 0;
    }

    void align_columns(AlignmentColumnsTask& task) const {
        if (lane_bytes_ == sizeof(std::int16_t)) {
            kernels_.align_columns_16_bit(task);
        } else {
            kernels_.align_columns_32_bit(task);
        }
    }

    // Makes the profile. Returns false if a score that the pair needs does not fit a lane.
    template <typename Lane>
    bool make_profile() {
        using Limits = std::numeric_limits<Lane>;
        const std::size_t lanes = kernels_.vector_bytes / sizeof(Lane);
        profile_row_lanes_ = (query_.size() + lanes - 1) / lanes * lanes;
        auto* const profile =
            reinterpret_cast<Lane*>(profile_memory_.reserve(kResidueTableSize * profile_row_lanes_ * sizeof(Lane)));
        profile_ = profile;
        std::array<bool, kResidueTableSize> in_query{}, in_target{};
        for (const ResidueCode code : query_) in_query[code] = true;
        for (const ResidueCode code : target_) in_target[code] = true;
        for (std::size_t t = 0; t < kResidueTableSize; ++t) {
            if (!in_target[t]) continue;
            std::array<Lane, kResidueTableSize> scores;
            for (std::size_t q = 0; q < kResidueTableSize; ++q) {
                const std::int32_t score = scores_.pairs[q][t];
                if (in_query[q] && (score < Limits::min() || score > Limits::max())) return false;
                scores[q] = static_cast<Lane>(score);
            }
            Lane* const row = profile + t * profile_row_lanes_;
            Lane* const end = std::ranges::transform(query_, row, [&](ResidueCode q) { return scores[q]; }).out;
            std::fill(end, row + profile_row_lanes_, Limits::min());
        }
        return true;
    }

    AlignmentColumnsTask task_for(std::size_t begin, std::size_t end, Column& column, DirectionUnit* directions) const {
        return {profile_,
                profile_row_lanes_,
                vectors(),
                target_.data() + begin,
                end - begin,
                scores_.gaps.first(),
                scores_.gaps.extend,
                column.h,
                column.e,
                directions,
                0,
                0};
    }

    // Sweeps columns [begin, end) in `ranges` ranges and returns the columns before each. With
    // `end_column`, the score and the first column that holds it are set. If the alignment is
    // stopped, columns are missing.
    Checkpoints sweep(std::size_t begin, std::size_t end, std::size_t ranges, Column column,
                      std::size_t* end_column = nullptr) {
        Checkpoints checkpoints{begin, (end - begin + ranges - 1) / ranges, {}};
        for (std::size_t from = begin; from < end && !is_stopped(); from += checkpoints.width) {
            checkpoints.before.push_back(copy_of(column));
            const std::size_t to = std::min(end, from + checkpoints.width);
            // If there is no score to find, the last range is left to the sweep that stores
            // directions.
            if (!end_column && to == end) break;
            AlignmentColumnsTask task = task_for(from, to, column, nullptr);
            task.best_raw = static_cast<std::int32_t>(alignment_.score_raw);
            align_columns(task);
            if (end_column && task.best_raw > alignment_.score_raw) {
                alignment_.score_raw = task.best_raw;
                *end_column = from + task.best_column;
                if (is_saturated()) break;
            }
        }
        return checkpoints;
    }

    // Follows the path through all ranges, from the one that holds column end - 1 to the one that
    // holds the begin.
    void trace(const Checkpoints& checkpoints, std::size_t end) {
        for (std::size_t range = (end - 1 - checkpoints.begin) / checkpoints.width + 1; range-- > 0;) {
            const std::size_t begin = checkpoints.begin + range * checkpoints.width;
            trace_range(begin, std::min(end, begin + checkpoints.width), checkpoints.before[range]);
            if (state_ == State::kDone) return;
        }
    }

    void trace_range(std::size_t begin, std::size_t end, const Column& before) {
        const std::size_t columns_at_once =
            std::max<std::size_t>(1, limits_.direction_bytes / (vectors() * sizeof(DirectionUnit)));
        if (end - begin > columns_at_once) {
            const std::size_t ranges = std::min((end - begin + columns_at_once - 1) / columns_at_once, kCheckpoints);
            const Checkpoints checkpoints = sweep(begin, end, ranges, copy_of(before));
            if (is_stopped()) {
                state_ = State::kDone;
            } else {
                trace(checkpoints, end);
            }
            return;
        }
        Column column = copy_of(before);
        directions_.resize(vectors() * (end - begin));
        AlignmentColumnsTask task = task_for(begin, end, column, directions_.data());
        align_columns(task);
        if (state_ == State::kFindRow) {
            row_ = row_of_score(column);
            alignment_.query_end = row_ + 1;
            alignment_.target_end = column_ + 1;
            value_raw_ = alignment_.score_raw;
            state_ = State::kH;
        }
        walk(begin, task.vectors);
    }

    // Follows the path while it stays in columns from `begin` on. Keeps the value of the current H,
    // E or F, so that the path is known to begin where H becomes 0.
    void walk(std::size_t begin, std::size_t column_vectors) {
        while (state_ != State::kDone && column_ >= begin && column_ != kNoColumn) {
            const DirectionUnit* const units = directions_.data() + (column_ - begin) * column_vectors;
            const DirectionUnit& unit = units[row_ / lanes_];
            const std::size_t bit = row_ % lanes_;
            switch (state_) {
                case State::kH:
                    if ((unit.not_diagonal >> bit & 1) == 0) {
                        add_to_path(AlignmentOperation::kMatch);
                        value_raw_ -= scores_.pairs[query_[row_]][target_[column_]];
                        if (value_raw_ == 0) {
                            alignment_.query_begin = row_;
                            alignment_.target_begin = column_;
                            state_ = State::kDone;
                        }
                        --row_;
                        --column_;
                    } else {
                        state_ = (unit.not_target_gap >> bit & 1) == 0 ? State::kF : State::kE;
                    }
                    break;
                case State::kF: {
                    add_to_path(AlignmentOperation::kInsert);
                    --row_;
                    const bool extended = (units[row_ / lanes_].extends_target_gap >> row_ % lanes_ & 1) != 0;
                    value_raw_ += extended ? scores_.gaps.extend : scores_.gaps.first();
                    if (!extended) state_ = State::kH;
                    break;
                }
                case State::kE: {
                    add_to_path(AlignmentOperation::kDelete);
                    const bool extended = (unit.not_opening_query >> bit & 1) != 0;
                    value_raw_ += extended ? scores_.gaps.extend : scores_.gaps.first();
                    if (!extended) state_ = State::kH;
                    --column_;
                    break;
                }
                case State::kFindRow:
                case State::kDone: return;
            }
        }
    }

    void add_to_path(AlignmentOperation operation) {
        if (alignment_.runs.empty() || alignment_.runs.back().operation != operation) {
            alignment_.runs.push_back({operation, 0});
        }
        ++alignment_.runs.back().length;
    }

    static constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);  // left of column 0

    const KernelTable& kernels_;
    const std::span<const ResidueCode> query_, target_;
    const PairScores& scores_;
    const LocalAlignmentLimits limits_;
    AlignedBytes profile_memory_;
    const void* profile_ = nullptr;  // kResidueTableSize rows, of which those of the target's letters are filled
    std::size_t profile_row_lanes_ = 0;
    std::vector<DirectionUnit> directions_;

    // The width and number of the lanes that this attempt computes in.
    std::size_t lane_bytes_ = 0, lanes_ = 0;

    // The position of the traceback: the cell, which of its three values, and that value.
    State state_ = State::kFindRow;
    std::size_t row_ = 0, column_ = 0;
    std::int64_t value_raw_ = 0;
    Alignment alignment_;
};

const KernelTable& best_kernels() { return runnable_backend_table(runnable_cpu_backends().back())->kernels; }

}  // namespace

Alignment align_local_with(const KernelTable& kernels, std::span<const ResidueCode> query,
                           std::span<const ResidueCode> target, const PairScores& scores,
                           const LocalAlignmentLimits& limits) {
    if (query.empty() || target.empty()) return {};
    return LocalAligner(kernels, query, target, scores, limits).align();
}

Alignment align_local(std::span<const ResidueCode> query, std::span<const ResidueCode> target, const PairScores& scores,
                      const LocalAlignmentLimits& limits) {
    return align_local_with(best_kernels(), query, target, scores, limits);
}

std::int64_t rescore(const Alignment& alignment, std::span<const ResidueCode> query,
                     std::span<const ResidueCode> target, const ScoringScheme& scheme) {
    std::int64_t score_raw = 0;
    std::size_t q = alignment.query_begin, t = alignment.target_begin;
    for (const AlignmentRun& run : alignment.runs) {
        if (run.operation == AlignmentOperation::kMatch) {
            for (std::uint64_t k = 0; k < run.length; ++k)
                score_raw += scheme.matrix.score_raw(query[q++], target[t++]);
        } else {
            (run.operation == AlignmentOperation::kInsert ? q : t) += run.length;
            score_raw -= scheme.gaps.open + static_cast<std::int64_t>(run.length) * scheme.gaps.extend;
        }
    }
    return score_raw;
}

}  // namespace warpseq
