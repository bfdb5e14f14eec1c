// The cells of a thread of the GPU's Smith-Waterman kernel (smith_waterman_kernel_gpu.cuh).
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/gpu/half_pairs.cuh"
#include "kernels/smith_waterman/smith_waterman_units_gpu.cuh"
#include "libcore/sequence/tile.h"

namespace warpseq::cuda {

/// Adds {score of target 0, score of target 1} to `sum` for one of two rows. Each of the other
/// arguments holds the scores of one target in both rows. The operand's half selects the row, and a
/// factor of {1, 0} or {0, 1} selects the target. So no permutation is needed on the integer pipe.
template <bool kHighRow>
__device__ __forceinline__ std::uint32_t add_two_targets(std::uint32_t sum, std::uint32_t scores0,
                                                         std::uint32_t scores1) {
    const __half2 both[2] = {*reinterpret_cast<__half2*>(&scores0), *reinterpret_cast<__half2*>(&scores1)};
    const __half2 first = kHighRow ? __high2half2(both[0]) : __low2half2(both[0]);
    const __half2 second = kHighRow ? __high2half2(both[1]) : __low2half2(both[1]);
    const __half2 with_first = __hfma2(first, __floats2half2_rn(1.f, 0.f), *reinterpret_cast<__half2*>(&sum));
    const __half2 with_both = __hfma2(second, __floats2half2_rn(0.f, 1.f), with_first);
    return *reinterpret_cast<const std::uint32_t*>(&with_both);
}

/// The cells of one thread: R rows of a segment, C columns a step. A register holds two cells.
template <typename Numbers, int G, int R, bool kBorders>
class SmithWatermanCells {
   public:
    static constexpr int C = kSmithWatermanColumns;
    using Borders = SmithWatermanBorders<Numbers, kBorders>;

    // The values that the last row passes to the next thread: H and F of each column.
    std::uint32_t bottom_H[C], bottom_F[C];
    std::uint32_t best = 0, passed_best = 0;  // greatest H of this thread; of its query's segments so far

    /// Makes empty cells. `profile` is the place of the thread in the profile in shared memory.
    /// `keep` is the thread's SegmentArguments::keep.
    __device__ __forceinline__ SmithWatermanCells(const uint4* profile, std::uint32_t keep)
        : profile_(profile), keep_(keep) {
        clear_rows();
#pragma unroll
        for (int c = 0; c < C; ++c) {
            bottom_H[c] = bottom_F[c] = 0;
            letter_[c] = kPaddingCode * Numbers::kLetterStride * (Numbers::kTwoQueries ? 1u : 0x10001u);
        }
    }

    /// Leaves a unit: joins this thread's maximum with that of the segments before it.
    __device__ __forceinline__ void pass_on(std::uint32_t handed_best, int t) {
        passed_best = __vmaxs2(best, handed_best & keep_ & (t == 0 ? 0u : ~0u));
    }
    /// Enters a unit.
    __device__ __forceinline__ void enter() {
        best = corner_ = 0;
        clear_rows();
    }

    /// Computes the next C columns of `word`, and removes them from it. `step` is the number of the
    /// step within the word.
    __device__ __forceinline__ void step(std::uint32_t (&word)[Numbers::kTargets], const KernelArguments& arguments,
                                         const Borders& borders, int step, int t) {
        std::uint32_t above[C];  // H above the first row
        Columns columns;
        take_from_above(above, columns.F, word, borders, step, t);
#pragma unroll
        for (int k = 0; k < Numbers::kTargets; ++k) word[k] >>= kBitsPerResidue * C;
        load_scores(0, columns.score[0]);
#pragma unroll
        for (int c = 1; c < C; ++c) columns.diagonal[c] = above[c - 1];
        columns.first_sum = add_score(corner_, columns.score[0][0], 0);
        corner_ = above[C - 1];
#pragma unroll
        for (int r = 0; r < R; ++r) compute_row(r, columns, arguments);
    }

   private:
    static constexpr bool kTwoQueries = Numbers::kTwoQueries;
    static constexpr int kTargets = Numbers::kTargets, kRowsPerLoad = Numbers::kRowsPerLoad;
    using Scores = uint4[C][kTargets];

    /// The columns of a step between two rows.
    struct Columns {
        std::uint32_t F[C];
        std::uint32_t diagonal[C];  // H of the row above in the column before; not of column 0
        // The first column's diagonal sum is formed a row ahead, before H of the row above is
        // overwritten.
        std::uint32_t first_sum;
        Scores score[2];        // of these rows and of the next
        std::uint32_t odd = 0;  // the last column's H of an even row, for a three-way maximum
    };

    __device__ __forceinline__ void clear_rows() {
#pragma unroll
        for (int r = 0; r < R; ++r) H_[r] = E_[r] = 0;
    }

    /// Gets the letters of the columns, and H and F above the first row, from the thread before.
    /// Thread 0 gets them from the feed's word and from the border. A segment that does not
    /// continue the one before it gets zeros.
    __device__ __forceinline__ void take_from_above(std::uint32_t (&above)[C], std::uint32_t (&F)[C],
                                                    const std::uint32_t (&word)[kTargets], const Borders& borders,
                                                    int step, int t) {
#pragma unroll
        for (int c = 0; c < C; ++c) {
            const auto letter_at = [&](int k) {
                return (word[k] >> (kBitsPerResidue * c) & kResidueMask) * Numbers::kLetterStride;
            };
            const std::uint32_t own = kTwoQueries ? letter_at(0) : letter_at(0) | letter_at(kTargets - 1) << 16;
            const std::uint32_t handed = __shfl_up_sync(~0u, letter_[c], 1, G);
            above[c] = __shfl_up_sync(~0u, bottom_H[c], 1, G);
            F[c] = __shfl_up_sync(~0u, bottom_F[c], 1, G);
            letter_[c] = t == 0 ? own : handed;
            if constexpr (kBorders) {
                const uint2 top = borders.staged[0][step * C + c];
                above[c] = t == 0 ? top.x : above[c];
                F[c] = t == 0 ? top.y : F[c];
            }
            above[c] &= keep_;
            F[c] &= keep_;
        }
    }

    /// Loads the scores of all columns. A load of 16 bytes holds four rows of a pair of queries, or
    /// eight rows of one query for one target.
    __device__ __forceinline__ void load_scores(int load, Scores& to) const {
#pragma unroll
        for (int c = 0; c < C; ++c) {
            to[c][0] = profile_[(kTwoQueries ? letter_[c] : letter_[c] & 0xffff) + load * Numbers::kSlots];
            if (!kTwoQueries) to[c][kTargets - 1] = profile_[(letter_[c] >> 16) + load * Numbers::kSlots];
        }
    }
    static __device__ __forceinline__ std::uint32_t word_of(const uint4& v, int i) {
        return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
    }
    /// Adds the scores of row k of a load.
    static __device__ __forceinline__ std::uint32_t add_score(std::uint32_t sum, const uint4 (&from)[kTargets], int k) {
        if constexpr (kTwoQueries) {
            return half_add(sum, word_of(from[0], k));
        } else {
            const std::uint32_t scores0 = word_of(from[0], k / 2), scores1 = word_of(from[kTargets - 1], k / 2);
            return k % 2 == 0 ? add_two_targets<false>(sum, scores0, scores1)
                              : add_two_targets<true>(sum, scores0, scores1);
        }
    }

    /// Computes row r of all columns.
    __device__ __forceinline__ void compute_row(int r, Columns& columns, const KernelArguments& arguments) {
        const int k = r % kRowsPerLoad, now = r / kRowsPerLoad % 2;
        if (k == 0 && r + kRowsPerLoad < R) load_scores(r / kRowsPerLoad + 1, columns.score[1 - now]);
        std::uint32_t next_sum = 0;
        if (r + 1 < R) {
            next_sum = k + 1 < kRowsPerLoad ? add_score(H_[r], columns.score[now][0], k + 1)
                                            : add_score(H_[r], columns.score[1 - now][0], 0);
        }
        std::uint32_t e = E_[r], h[C];
#pragma unroll
        for (int c = 0; c < C; ++c) {
            const std::uint32_t sum =
                c == 0 ? columns.first_sum : add_score(columns.diagonal[c], columns.score[now][c], k);
            h[c] = __vimax3_s16x2_relu(sum, e, columns.F[c]);
            const std::uint32_t open = half_add(h[c], arguments.gap_first);
            e = __viaddmax_s16x2_relu(e, arguments.gap_extend, open);
            columns.F[c] = __viaddmax_s16x2_relu(columns.F[c], arguments.gap_extend, open);
        }
        columns.first_sum = next_sum;
#pragma unroll
        for (int c = 1; c < C; ++c) columns.diagonal[c] = h[c - 1];
        E_[r] = e;
        H_[r] = h[C - 1];
        raise_best(r, h, columns.odd);
        if (r == R - 1) {
#pragma unroll
            for (int c = 0; c < C; ++c) bottom_H[c] = h[c], bottom_F[c] = columns.F[c];
        }
    }

    /// Raises the maximum to H of a row. Three-way maxima take two cells each, and an odd column
    /// waits for the next row.
    __device__ __forceinline__ void raise_best(int r, const std::uint32_t (&h)[C], std::uint32_t& odd) {
#pragma unroll
        for (int c = 0; c + 1 < C; c += 2) best = __vimax3_s16x2(best, h[c], h[c + 1]);
        if (C % 2 == 1) {
            if (r % 2 == 0)
                odd = h[C - 1];
            else
                best = __vimax3_s16x2(best, odd, h[C - 1]);
        }
    }

    const uint4* profile_;
    std::uint32_t keep_;
    std::uint32_t H_[R], E_[R];  // of the column before the step
    std::uint32_t corner_ = 0;   // H above the first row in the column before the step
    std::uint32_t letter_[C];    // places of the columns' scores in the profile, of both targets
};

}  // namespace warpseq::cuda
