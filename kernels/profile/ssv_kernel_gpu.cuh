// The GPU's SSV kernel. It computes the best ungapped diagonal of profiles against every target of
// a chunk (kernels/profile/msv_filter.h).
//
// Recurrence. Counted from begin, V(i,k) = max(0, V(i-1,k-1) + score(x_i, k)), and V(0,k) = V(i,0)
// = 0. The result is the maximum over all cells.
//
// Numbers. Two rows of the model share a 32-bit register as 16-bit integers. These are also bit
// patterns of half-precision numbers n * 2^-24 (smith_waterman_kernel_gpu.cuh explains why that is
// exact below 2,048). The sum and the clamp at 0 are one HFMA2.RELU on the FMA pipe, and the
// maximum is half a VIMNMX3 on the integer pipe. A score above 255 - bias is an overflow for the
// filter, and 2,048 is far above that. Sums beyond 2,048 stay beyond it, because half-precision
// sums are monotonic. Results are limited to kHighestSsv.
//
// Layout. A group of G threads computes one target. Thread t holds rows t R .. t R + R - 1 of both
// halves (ssv_plan_gpu.h). A row needs only the row above it in the column before, so threads are
// not skewed: all take the same residue at the same time. Rows are updated from high to low, in
// place. The scores are in shared memory (SsvLayout).
//
//                     thread 0       thread 1        ...   thread G - 1
//     low halves      0 .. R - 1     R .. 2R - 1           (G - 1) R .. G R - 1
//     high halves     0 .. R - 1     R .. 2R - 1           (G - 1) R .. G R - 1
//
//     from the pass before -> low halves -> high halves -> to the next pass
//
// The row above a thread's first comes by shuffle from its neighbour. The row above thread 0's high
// half comes from the last thread's low half. If a profile continues in the next pass, the value of
// the last thread's last high row is kept for each residue. It is limited to kHighestSsv and takes
// a byte of a border entry. There is one entry for each word of the target. Passes alternate
// between two arrays of entries. The reason is that a piece of a target also reads the entries of
// the words before it (ssv_plan_gpu.h). In a single array, another group might already have
// overwritten them.
//
// Ceiling. Shared memory delivers 48 bytes for 16 rows of two profiles, which allows 22e12 cells
// per second on an H200. The kernel reaches 79 % of it, 17.3e12 over a batch of models. Shared
// memory is exhausted first, then issue slots (docs/lab-notes.md, "Profile HMMs on GPUs").
//
// Source. SSV is Knudsen's, in HMMER 3.1. It is the MSV algorithm of Eddy, PLoS Comput Biol
// 7:e1002195 (2011), without J. The layout is warpseq's own.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/gpu/half_pairs.cuh"
#include "kernels/gpu/target_pieces.h"
#include "kernels/profile/ssv_plan_gpu.h"
#include "libcore/sequence/tile.h"

namespace warpseq::cuda {

struct SsvArguments {
    const std::uint32_t* words;
    const TargetPiece* pieces;  // the pieces of linear tiles, then those of interleaved tiles
    std::uint32_t linear_pieces, interleaved_pieces;
    const uint4* profile;  // of this pass
    // Border entries, one for each word of the chunk, at the index of the word. An entry has six
    // bytes, and the first residue's byte is the lowest.
    const std::uint64_t* borders_before;         // nullptr: no profile continues from the pass before
    std::uint64_t* borders_after;                // nullptr: no profile continues in the next pass
    unsigned* ticket;                            // zero at the start
    std::uint64_t lane_count;                    // of the chunk
    std::uint32_t* results;                      // [profile * lane_count + lane]: the maximum so far; zero at the start
    std::int32_t profiles[2 * kMostSsvThreads];  // profiles of the segments; -1: none
    /// For each thread, the permutation that makes the row above its first row in both halves. It
    /// selects from the value of the thread before (bytes 0 to 3) and from the value that enters
    /// from the pass before (bytes 4 to 7, of which only byte 4 is not 0). A segment that does not
    /// continue the one before it gets zeros.
    std::uint32_t above[kMostSsvThreads];
};

/// The target, or the piece of a target, of a group.
struct SsvTarget {
    TargetPiece piece;
    bool exists;
    std::uint32_t in_tile;  // its lane
    std::uint32_t early;    // words before the piece's own, whose borders and results are another group's
    std::uint32_t words;    // with those before

    /// Finds target `group` of a warp's unit. Units of linear pieces come first.
    template <std::uint32_t kGroups, std::uint32_t kEarlyWords>
    static __device__ __forceinline__ SsvTarget of(const SsvArguments& arguments, std::uint32_t unit,
                                                   std::uint32_t linear_units, std::uint32_t group) {
        const bool linear = unit < linear_units;
        const std::uint32_t target = (linear ? unit : unit - linear_units) * kGroups + group;
        const std::uint32_t index =
            linear ? min(target, arguments.linear_pieces - 1) : arguments.linear_pieces + target / kTileLanes;
        SsvTarget found;
        found.in_tile = linear ? 0 : target % kTileLanes;
        found.piece = arguments.pieces[index];
        found.exists = linear ? target < arguments.linear_pieces : true;
        found.early = found.exists ? min(found.piece.words_before, kEarlyWords) : 0;
        found.words = found.exists ? found.early + found.piece.words : 0;
        return found;
    }
    /// Returns the index of the first word.
    __device__ __forceinline__ std::uint64_t first() const {
        return piece.first_word - static_cast<std::uint64_t>(early) * piece.word_stride + in_tile;
    }
};

/// The cells of one thread: R registers with a row of each half.
template <int G, int R>
struct SsvCells {
    std::uint32_t V[R];
    std::uint32_t best = 0;

    __device__ __forceinline__ SsvCells() {
#pragma unroll
        for (int r = 0; r < R; ++r) V[r] = 0;
    }

    /// Computes a column. `loads` is the thread's place in the loads of the residue, `entering` the
    /// value that enters from the pass before, and `permutation` SsvArguments::above.
    __device__ __forceinline__ void compute(const uint4* loads, std::uint32_t entering, std::uint32_t permutation,
                                            int t) {
        constexpr int kBlockRows = SsvLayout::kBlockRows;
        const std::uint32_t handed = __shfl_sync(~0u, V[R - 1], (t + G - 1) % G, G);
        const std::uint32_t above = __byte_perm(handed, entering, permutation);
#pragma unroll
        for (int b = (R - 1) / kBlockRows; b >= 0; --b) {
            std::uint32_t score[kBlockRows];
            load_block(b, loads + b * SsvLayout::kBlockLoads * SsvLayout::kSlots, score);
#pragma unroll
            for (int k = kBlockRows - 1; k >= 0; --k) {
                const int r = kBlockRows * b + k;
                if (r >= R) continue;
                const std::uint32_t diagonal = r > 0 ? V[r - 1] : above;
                V[r] = k < SsvLayout::kWideRows ? half_add_relu(diagonal, score[k])
                                                : half_add_relu(half_add(diagonal, score[k]), kMinusBias);
            }
#pragma unroll
            for (int r = kBlockRows * b; r < kBlockRows * (b + 1); r += 2) {
                if (r < R) best = __vimax3_s16x2(best, V[r], V[r + 1]);
            }
        }
    }
    /// Returns the value of the last high row, limited to a byte.
    __device__ __forceinline__ std::uint32_t leaving() const { return min(V[R - 1] >> 16, kHighestSsv); }
    /// Returns the greatest value of a half.
    __device__ __forceinline__ std::uint32_t greatest(int half) const {
        return min(best >> (16 * half) & 0xffff, kHighestSsv);
    }

   private:
    /// Minus kSsvByteBias, as half-precision bit patterns.
    static constexpr std::uint32_t kMinusBias = 0x80008000u | kSsvByteBias * 0x10001u;

    /// Loads the scores of the rows of a block that the thread has. Narrow ones still have
    /// kSsvByteBias added.
    static __device__ __forceinline__ void load_block(int b, const uint4* loads,
                                                      std::uint32_t (&score)[SsvLayout::kBlockRows]) {
        constexpr int kBlockRows = SsvLayout::kBlockRows, kWideRows = SsvLayout::kWideRows;
        const bool only_wide = R - b * kBlockRows <= kWideRows;
#pragma unroll
        for (int l = 0; l < SsvLayout::kWideLoads; ++l) {
            if (kBlockRows * b + 4 * l >= R) break;
            const uint4 four = loads[l * SsvLayout::kSlots];
            score[4 * l] = four.x;
            score[4 * l + 1] = four.y;
            score[4 * l + 2] = four.z;
            score[4 * l + 3] = four.w;
        }
#pragma unroll
        for (int l = 0; l < SsvLayout::kBlockLoads - SsvLayout::kWideLoads; ++l) {
            if (only_wide) break;
            const uint4 eight = loads[(SsvLayout::kWideLoads + l) * SsvLayout::kSlots];
            const std::uint32_t pairs[4] = {eight.x, eight.y, eight.z, eight.w};
#pragma unroll
            for (int m = 0; m < 4; ++m) {
                score[kWideRows + 8 * l + 2 * m] = __byte_perm(pairs[m], 0, 0x4140);
                score[kWideRows + 8 * l + 2 * m + 1] = __byte_perm(pairs[m], 0, 0x4342);
            }
        }
    }
};

/// Computes one pass. kUnroll is the number of residues of a word that the inner loop takes at a
/// time.
template <int G, int R, int kUnroll, int kThreads, int kMinBlocks>
__global__ void __launch_bounds__(kThreads, kMinBlocks) ssv_kernel(const __grid_constant__ SsvArguments arguments) {
    static_assert(R % 4 == 0 && SsvLayout::kSlots % G == 0 && kResiduesPerWord % kUnroll == 0);
    extern __shared__ uint4 profile[];
    constexpr int kLetterLoads = SsvLayout{R}.letter_loads(), kProfileLoads = SsvLayout{R}.profile_loads();
    constexpr std::uint32_t kGroups = 32 / G;
    constexpr std::uint32_t kEarlyWords = (2 * G * R + kResiduesPerWord - 1) / kResiduesPerWord;

    for (int i = threadIdx.x; i < kProfileLoads; i += kThreads) profile[i] = arguments.profile[i];
    __syncthreads();

    const int lane = threadIdx.x % 32, t = lane % G;
    const std::uint32_t group = lane / G;
    const uint4* const thread_profile = profile + lane % SsvLayout::kSlots;
    const std::uint32_t above_permutation = arguments.above[t];
    const std::uint32_t linear_units = (arguments.linear_pieces + kGroups - 1) / kGroups;
    const std::uint32_t units = linear_units + arguments.interleaved_pieces * (kTileLanes / kGroups);
    const bool reads = arguments.borders_before != nullptr, writes = arguments.borders_after != nullptr;

    for (;;) {
        unsigned unit = 0;
        if (lane == 0) unit = atomicAdd(arguments.ticket, 1);
        unit = __shfl_sync(~0u, unit, 0);
        if (unit >= units) return;

        const auto target = SsvTarget::of<kGroups, kEarlyWords>(arguments, unit, linear_units, group);
        const std::uint32_t words = target.words, word_stride = target.piece.word_stride;
        const std::uint32_t most_words = __reduce_max_sync(~0u, words);
        const std::uint64_t first = target.first();
        const std::uint32_t* source = arguments.words + first;
        const std::uint64_t* border_before = arguments.borders_before + first;
        std::uint64_t* border_after = arguments.borders_after + first;

        SsvCells<G, R> cells;
        std::uint32_t entering = 0;  // last row of the pass before, in the column before, for thread 0's low half
        std::uint32_t next_word = words > 0 ? *source : kPaddingWord;
        std::uint64_t next_border = 0;
        if (reads && words > 0) next_border = *border_before;

        for (std::uint32_t w = 0; w < most_words; ++w) {
            std::uint32_t word = next_word;
            std::uint64_t border = next_border;
            const bool more = w + 1 < words;
            source += word_stride;
            border_before += word_stride;
            next_word = more ? *source : kPaddingWord;
            if (reads) next_border = more ? *border_before : 0;
            std::uint64_t leaving = 0;
#pragma unroll kUnroll
            for (int c = 0; c < static_cast<int>(kResiduesPerWord); ++c) {
                const std::uint32_t letter = word & kResidueMask;
                word >>= kBitsPerResidue;
                cells.compute(thread_profile + letter * kLetterLoads, entering, above_permutation, t);
                entering = static_cast<std::uint32_t>(border) & 0xff;
                border >>= 8;
                if (writes) leaving = leaving >> 8 | static_cast<std::uint64_t>(cells.leaving()) << 40;
            }
            if (writes && t == G - 1 && w < words && w >= target.early) *border_after = leaving;
            border_after += word_stride;
        }
        if (target.exists && target.in_tile < target.piece.lanes) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const std::int32_t which = arguments.profiles[half * G + t];
                const std::uint32_t greatest = cells.greatest(half);
                if (which >= 0 && greatest > 0)
                    atomicMax(arguments.results + static_cast<std::uint64_t>(which) * arguments.lane_count +
                                  target.piece.first_lane + target.in_tile,
                              greatest);
            }
        }
        __syncwarp();
    }
}

}  // namespace warpseq::cuda
