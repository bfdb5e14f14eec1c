// Finds one optimal local alignment with its path.
//
// A first sweep over all columns (target residues) finds the score and the column where it is first
// reached. The striped kernel does it in lanes of 8 bits, and again in 16 or 32 if the score is too
// high for them. It keeps H and E of up to kCheckpoints columns. Then the ranges of columns between
// checkpoints are swept again with a direction matrix, from the one that holds the end leftwards,
// until the path has reached its begin. Lanes have 16 bits there, or 32 if the score does not fit.
// Only query rows up to the path's current row are swept. A range whose direction matrix would
// exceed the limit is cut again by checkpoints of its own. Memory is O(query residues * log target
// residues) and the direction matrix. The path does not depend on where ranges are cut, because the
// directions of a cell do not. A width of lanes is used only if the gap costs and the scores of the
// pair's letters fit it.
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

constexpr std::size_t kCheckpoints = 32;
constexpr std::size_t kShortestRange = 32;  // columns; shorter ranges cost more in checkpoints than they save

class LocalAligner {
   public:
    LocalAligner(const KernelTable& kernels, std::span<const ResidueCode> query, std::span<const ResidueCode> target,
                 const PairScores& scores, const LocalAlignmentLimits& limits)
        : kernels_(kernels), query_(query), target_(target), scores_(scores), limits_(limits) {}

    Alignment align() {
        std::ranges::for_each(query_, [&](ResidueCode code) { in_query_[code] = true; });
        std::ranges::for_each(target_, [&](ResidueCode code) { in_target_[code] = true; });
        const std::int32_t highest_cost = std::max(scores_.gaps.first(), scores_.gaps.extend);
        const bool fits_16_bits = highest_cost <= kHighestCost16Bit && scores_fit<std::int16_t>();
        if (fits_16_bits) {
            fits_8_bits_ = highest_cost <= std::numeric_limits<std::int8_t>::max() && scores_fit<std::int8_t>();
            if (fits_8_bits_) narrow_scores();
            if (fits_8_bits_ && find_end<std::int8_t>()) return trace<std::int8_t, std::int16_t>();
            if (find_end<std::int16_t>()) {
                const std::size_t lanes = kernels_.vector_bytes / sizeof(std::int16_t);
                return alignment_.score_raw <= highest_16_bit(lanes, scores_.gaps.extend)
                           ? trace<std::int16_t, std::int16_t>()
                           : trace<std::int16_t, std::int32_t>();
            }
        }
        find_end<std::int32_t>();
        return trace<std::int32_t, std::int32_t>();
    }

   private:
    enum class State { kFindRow, kH, kE, kF, kDone };

    // H and E of one column, before or after some range of columns, in lanes of lane_bytes_.
    struct Column {
        AlignedBytes memory;
        std::byte* h = nullptr;
        std::byte* e = nullptr;
    };

    // The columns that the first sweep keeps: H and E before each range of `width` columns, one
    // behind the other, with lanes as the striped kernel has them.
    struct StripedCheckpoints {
        std::size_t width = 0;
        std::size_t column_bytes = 0;  // of H, or of E
        const std::byte* columns = nullptr;
        AlignedBytes memory;
    };

    // The raw score of 0 in a lane, and the raw score that means that a lane may be too low. A lane
    // of 32 bits has room for every score.
    template <typename Lane>
    static constexpr Lane kFloor = sizeof(Lane) < sizeof(std::int32_t) ? std::numeric_limits<Lane>::min() : 0;
    template <typename Lane>
    static constexpr std::int32_t kSaturated = std::numeric_limits<Lane>::max() - kFloor<Lane>;

    template <typename Lane>
    void sweep_stripes(StripedColumnsTask& task) const {
        if constexpr (sizeof(Lane) == sizeof(std::int8_t)) {
            kernels_.striped_columns_8_bit(task);
        } else if constexpr (sizeof(Lane) == sizeof(std::int16_t)) {
            kernels_.striped_columns_16_bit(task);
        } else {
            kernels_.striped_columns_32_bit(task);
        }
    }

    // Returns whether all scores of letters that the query and the target have fit a lane.
    template <typename Lane>
    bool scores_fit() const {
        for (std::size_t q = 0; q < kResidueTableSize; ++q) {
            for (std::size_t t = 0; in_query_[q] && t < kResidueTableSize; ++t) {
                if (in_target_[t] && !std::in_range<Lane>(scores_.pairs[q][t])) return false;
            }
        }
        return true;
    }

    // Makes room for the letters of a profile's lanes, and marks every lane as one without a query
    // row. Returns the letters.
    std::uint8_t* clear_letters(std::size_t row_lanes) {
        letters_lanes_ = (row_lanes + kernels_.vector_bytes - 1) / kernels_.vector_bytes * kernels_.vector_bytes;
        auto* const letters = reinterpret_cast<std::uint8_t*>(letters_.reserve(letters_lanes_));
        std::fill_n(letters, letters_lanes_, kPaddingCode);
        return letters;
    }

    // Makes a profile, a row for each letter of the target, of lanes with the letters of letters_.
    // Lanes without a query row get the lowest score of 8 bits, or a lower one.
    template <typename Lane>
    const Lane* make_profile(std::size_t row_lanes) {
        auto* const profile =
            reinterpret_cast<Lane*>(profile_memory_.reserve(kResidueTableSize * row_lanes * sizeof(Lane)));
        const auto* const letters = reinterpret_cast<const std::uint8_t*>(letters_.reserve(letters_lanes_));
        const auto for_each_row = [&](const auto& make) {
            for (std::size_t t = 0; t < kResidueCodes; ++t) {
                if (in_target_[t]) make(t, profile + t * row_lanes);
            }
        };
        if (!fits_8_bits_) {
            for_each_row([&](std::size_t t, Lane* row) {
                std::array<Lane, kResidueTableSize> scores{};
                for (std::size_t q = 0; q < kResidueCodes; ++q) {
                    if (in_query_[q]) scores[q] = static_cast<Lane>(scores_.pairs[q][t]);
                }
                scores[kPaddingCode] = std::numeric_limits<Lane>::min();
                std::transform(letters, letters + row_lanes, row, [&](std::uint8_t q) { return scores[q]; });
            });
        } else if constexpr (sizeof(Lane) == sizeof(std::int8_t)) {
            kernels_.fill_profile(letters, row_lanes, narrow_scores_, profile);
        } else {
            auto* const narrow =
                reinterpret_cast<std::int8_t*>(narrow_profile_.reserve(kResidueCodes * letters_lanes_));
            kernels_.fill_profile(letters, letters_lanes_, narrow_scores_, narrow);
            for_each_row([&](std::size_t t, Lane* row) { std::copy_n(narrow + t * letters_lanes_, row_lanes, row); });
        }
        return profile;
    }

    // Fills narrow_scores_: the scores of 8 bits by the target's letter and the query's.
    void narrow_scores() {
        for (std::size_t t = 0; t < kResidueCodes; ++t) {
            for (std::size_t q = 0; q < kResidueCodes; ++q)
                narrow_scores_[t][q] = static_cast<std::int8_t>(scores_.pairs[q][t]);
            narrow_scores_[t][kPaddingCode] = std::numeric_limits<std::int8_t>::min();
        }
    }

    // The striped kernel's place of a query row: lane l of vector s has row l * segments + s. Calls
    // use(row, place) for the first `rows` rows in order.
    template <typename Lane, typename Use>
    void for_each_striped_row(std::size_t rows, const Use& use) const {
        const std::size_t lanes = kernels_.vector_bytes / sizeof(Lane);
        const std::size_t segments = (query_.size() + lanes - 1) / lanes;
        for (std::size_t lane = 0, row = 0; row < rows; ++lane) {
            for (std::size_t s = 0; s < segments && row < rows; ++s, ++row) use(row, s * lanes + lane);
        }
    }

    // The first sweep: finds the score and the column where it is first reached, and fills
    // striped_. Returns false if a lane is saturated.
    template <typename Lane>
    bool find_end() {
        const std::size_t lanes = kernels_.vector_bytes / sizeof(Lane);
        const std::size_t segments = (query_.size() + lanes - 1) / lanes, row_lanes = segments * lanes;
        std::uint8_t* const letters = clear_letters(row_lanes);
        for_each_striped_row<Lane>(query_.size(),
                                   [&](std::size_t row, std::size_t place) { letters[place] = query_[row]; });
        const Lane* const profile = make_profile<Lane>(row_lanes);
        const std::size_t ranges = std::clamp<std::size_t>(target_.size() / kShortestRange, 1, kCheckpoints);
        striped_.width = (target_.size() + ranges - 1) / ranges;
        striped_.column_bytes = row_lanes * sizeof(Lane);
        const std::size_t column_lanes = 2 * row_lanes;  // H and E, one behind the other
        auto* const memory = reinterpret_cast<Lane*>(striped_.memory.reserve((2 * ranges + 3) * striped_.column_bytes));
        striped_.columns = reinterpret_cast<const std::byte*>(memory);
        Lane* const h = memory + ranges * column_lanes;
        std::fill_n(h, column_lanes, kFloor<Lane>);
        StripedColumnsTask task{
            profile,       segments,          nullptr, 0, scores_.gaps.first(), scores_.gaps.extend, h,
            h + row_lanes, h + 2 * row_lanes, 0,       0};
        for (std::size_t from = 0, range = 0; from < target_.size(); from += striped_.width, ++range) {
            if (is_stopped()) return true;
            Lane* const before = memory + range * column_lanes;
            std::memcpy(before, task.h, striped_.column_bytes);
            std::memcpy(before + row_lanes, task.e, striped_.column_bytes);
            task.target = target_.data() + from;
            task.columns = std::min(striped_.width, target_.size() - from);
            const std::int32_t best_raw = task.best_raw;
            sweep_stripes<Lane>(task);
            if (task.best_raw > best_raw) column_ = from + task.best_column;
            if (sizeof(Lane) < sizeof(std::int32_t) && task.best_raw == kSaturated<Lane>) return false;
        }
        alignment_.score_raw = task.best_raw;
        return true;
    }

    // Returns the column before a range of the first sweep, in the order of rows and lanes of the
    // sweeps with directions.
    template <typename Striped, typename Lane>
    Column column_before(std::size_t range) const {
        Column column = make_column(column_bytes());
        const std::size_t rows = std::min(query_.size(), vectors() * lanes_);
        const auto copy = [&](const std::byte* from, std::byte* to) {
            const auto* const striped = reinterpret_cast<const Striped*>(from);
            auto* const lanes = reinterpret_cast<Lane*>(to);
            for_each_striped_row<Striped>(rows, [&](std::size_t row, std::size_t place) {
                lanes[row] = static_cast<Lane>(striped[place] - kFloor<Striped> + kFloor<Lane>);
            });
            std::fill(lanes + rows, lanes + vectors() * lanes_, kFloor<Lane>);
        };
        const std::byte* const before = striped_.columns + 2 * range * striped_.column_bytes;
        copy(before, column.h);
        copy(before + striped_.column_bytes, column.e);
        return column;
    }

    // Follows the path from the end that the first sweep has found, which was in lanes of type
    // Striped.
    template <typename Striped, typename Lane>
    Alignment trace() {
        if (alignment_.score_raw == 0 || is_stopped() || !is_path_wanted()) return std::move(alignment_);
        lane_bytes_ = sizeof(Lane);
        lanes_ = kernels_.vector_bytes / sizeof(Lane);
        profile_row_lanes_ = (query_.size() + lanes_ - 1) / lanes_ * lanes_;
        std::ranges::copy(query_, clear_letters(profile_row_lanes_));
        profile_ = make_profile<Lane>(profile_row_lanes_);
        state_ = State::kFindRow;
        row_ = query_.size() - 1;
        trace_ranges(0, striped_.width, column_ + 1,
                     [&](std::size_t range) { return column_before<Striped, Lane>(range); });
        std::reverse(alignment_.runs.begin(), alignment_.runs.end());
        return std::move(alignment_);
    }

    bool is_stopped() const { return limits_.stop.stop_requested(); }

    bool is_path_wanted() const { return !limits_.wants_path || limits_.wants_path(alignment_.score_raw); }

    // vectors() returns the query rows that still matter, in vectors, and column_bytes() the bytes
    // of their lanes.
    std::size_t vectors() const { return row_ / lanes_ + 1; }
    std::size_t column_bytes() const { return vectors() * kernels_.vector_bytes; }

    static Column make_column(std::size_t bytes) {
        Column column;
        const std::size_t half_bytes =
            (bytes + AlignedBytes::kAlignmentBytes - 1) / AlignedBytes::kAlignmentBytes * AlignedBytes::kAlignmentBytes;
        column.h = column.memory.reserve(2 * half_bytes);
        column.e = column.h + half_bytes;
        return column;
    }

    Column copy_of(const Column& other) const {
        Column column = make_column(column_bytes());
        std::memcpy(column.h, other.h, column_bytes());
        std::memcpy(column.e, other.e, column_bytes());
        return column;
    }

    // Returns the first query row whose H is the score.
    std::size_t row_of_score(const Column& column) const {
        for (std::size_t row = 0; row < query_.size(); ++row) {
            const std::int64_t h_raw =
                lane_bytes_ == sizeof(std::int16_t)
                    ? std::int64_t{reinterpret_cast<const std::int16_t*>(column.h)[row]} - kFloor<std::int16_t>
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
                directions};
    }

    // Sweeps columns [begin, end) and returns the columns before each range of `width` columns. The
    // last range is left to the sweep that stores directions. If the alignment is stopped, columns
    // are missing.
    std::vector<Column> sweep(std::size_t begin, std::size_t end, std::size_t width, Column column) const {
        std::vector<Column> before;
        for (std::size_t from = begin; from < end && !is_stopped(); from += width) {
            before.push_back(copy_of(column));
            if (end - from <= width) break;
            AlignmentColumnsTask task = task_for(from, from + width, column, nullptr);
            align_columns(task);
        }
        return before;
    }

    // Follows the path through ranges of `width` columns, of which the first begins at `begin`. It
    // goes from the one that holds column end - 1 to the one that holds the begin. `before` returns
    // the column before a range.
    template <typename Before>
    void trace_ranges(std::size_t begin, std::size_t width, std::size_t end, const Before& before) {
        for (std::size_t range = (end - 1 - begin) / width + 1; range-- > 0;) {
            const std::size_t range_begin = begin + range * width;
            trace_range(range_begin, std::min(end, range_begin + width), before(range));
            if (state_ == State::kDone) return;
        }
    }

    void trace_range(std::size_t begin, std::size_t end, Column column) {
        const std::size_t columns_at_once =
            std::max<std::size_t>(1, limits_.direction_bytes / (vectors() * sizeof(DirectionUnit)));
        if (end - begin > columns_at_once) {
            const std::size_t ranges = std::min((end - begin + columns_at_once - 1) / columns_at_once, kCheckpoints);
            const std::size_t width = (end - begin + ranges - 1) / ranges;
            const std::vector<Column> checkpoints = sweep(begin, end, width, std::move(column));
            if (is_stopped()) {
                state_ = State::kDone;
            } else {
                trace_ranges(begin, width, end, [&](std::size_t range) { return copy_of(checkpoints[range]); });
            }
            return;
        }
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
    const LocalAlignmentLimits& limits_;
    std::array<bool, kResidueTableSize> in_query_{}, in_target_{};
    bool fits_8_bits_ = false;
    SubstitutionMatrix::Table narrow_scores_{};
    AlignedBytes letters_, narrow_profile_, profile_memory_;
    std::size_t letters_lanes_ = 0;
    const void* profile_ = nullptr;  // kResidueTableSize rows; those of the target's letters are filled
    std::size_t profile_row_lanes_ = 0;
    std::vector<DirectionUnit> directions_;

    StripedCheckpoints striped_;

    // The width and number of the lanes of the sweeps with directions.
    std::size_t lane_bytes_ = 0, lanes_ = 0;

    // The position of the traceback: the cell, which of its three values, and that value.
    State state_ = State::kFindRow;
    std::size_t row_ = 0, column_ = 0;
    std::int64_t value_raw_ = 0;
    Alignment alignment_;
};

const KernelTable& kernels_of(CpuBackend backend) {
    const BackendTable* const table =
        runnable_backend_table(backend == CpuBackend::kReference ? CpuBackend::kPortable : backend);
    assert(table != nullptr);
    return table->kernels;
}

}  // namespace

Alignment align_local(CpuBackend backend, std::span<const ResidueCode> query, std::span<const ResidueCode> target,
                      const PairScores& scores, const LocalAlignmentLimits& limits) {
    if (query.empty() || target.empty()) return {};
    return LocalAligner(kernels_of(backend), query, target, scores, limits).align();
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
