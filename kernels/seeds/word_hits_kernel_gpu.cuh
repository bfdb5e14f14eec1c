// The word hit kernel behind word_hits_gpu.h. A warp takes a block of queries and a target, and
// finds the queries that have an alignment with the target.
//
// Recurrence. It is the sequential rule of kernels/seeds/word_hits.h for each diagonal. A warp
// walks along the target as follows.
//
//     for each target position j
//         lanes take the hits (i, j) that the table lists for the word at j
//         each reads the state of its diagonal and decides by the rule
//
// The hits of a position are all on different diagonals. A diagonal that has had no hit has no
// `last`.
//
// Layout. Shared memory holds a block's scores and residues, and each warp's state (WordHitLayout).
// Diagonals are numbered modulo D, and each number has one 16-bit value. The value is twice the
// position `last` of word_hits.h, plus 1 if `last` is the end of an extension:
//
//     | 15 ................. 1 |      0       |
//     | position of `last`     | is an end    |
//
// Numbers. Positions count from `base`, with the window's width added, so that 0 stands for "no
// last". A position that lies a window or more back has no effect. Two diagonals share a number if
// they are D apart. When the second of them is first read, the value left by the first is older
// than the window, because D is at least the sum of the block's length and the window. Every
// kWordHitRebase positions `base` moves up, and all values are lowered by the same amount. A
// position is at most kWordHitRebase + 32 + window + block length, which is below 32,767. So no
// value is kPendingDiagonal. Scores of extensions are 32-bit integers. An extension covers at most
// the residues of a query, of which there are fewer than kMostDiagonals, so that a sum of their
// 16-bit scores fits.
//
// Extensions. About one hit in eight has to be extended, which is three or four of 32 lanes. These
// hits wait in a queue until 32 of them fill a warp, one per lane. Meanwhile the state of their
// diagonals is kPendingDiagonal. A hit on such a diagonal waits in a second queue until the
// extensions are done. The waiting hits are then decided in their order. So every diagonal gets its
// hits by ascending target position, and each hit finds the state that the hits before it have
// left. This is exactly the sequential rule.
//
// An extension compares four residues a step. This takes two loads, and for each residue a score
// from a table in shared memory. No bounds are checked, because queries and targets are surrounded
// by separators, whose score is below every X-drop.
//
// Ceiling. No ceiling was computed. Latency limits the kernel: on an H200, 500 queries of 245,830
// residues against 203 million residues take 1.54 s with 12 warps a multiprocessor and 2.24 s with
// 8. Where each hit is extended at once, they take 4.31 s (docs/lab-notes.md, "Word hits on GPUs").
//
// Source. Altschul and others, Nucleic Acids Res 25:3389 (1997), for the two-hit rule and ungapped
// extension. The queues are warpseq's own.
#pragma once

#include <cstdint>

#include "kernels/gpu/device_targets.cuh"
#include "kernels/seeds/word_hits_gpu.h"

namespace warpseq::cuda {

inline constexpr std::uint32_t kWordHitRebase = 8192;
inline constexpr std::uint16_t kPendingDiagonal = 0xffff;
/// The bit of a state that tells that `last` is the end of an extension.
inline constexpr std::uint32_t kIsEnd = 1;
static_assert(kWordHitRebase + 32 + kMostWordHitWindow + kMostDiagonals < kPendingDiagonal / 2,
              "positions fit a state");

struct WordHitArguments {
    const WordHitBlock* blocks;
    const std::uint8_t* block_residues;
    const std::uint8_t* query_of_residue;
    const WordHitLimits* limits;
    const WordHitEntry* entries;
    const std::uint16_t* hits;
    const std::int16_t* scores;
    const DeviceSequence* sequences;
    const std::uint8_t* bytes;  // residue codes of all targets
    unsigned* tickets;          // one per block of queries
    WordHitPair* pairs;
    unsigned* pair_count;  // counts also those beyond most_pairs
    std::uint32_t most_pairs;
    std::uint32_t sequence_count;
    std::uint32_t thread_blocks_per_query_block;  // thread blocks that share a block of queries
    std::uint32_t diagonals, window, extensions_at_once;
};

/// Writes the residues of each target as bytes, six per word, with separators around them. All
/// bytes are codes of letters, because the tables of words have entries for letters only. A code
/// that is no letter can only come from a damaged file. It becomes X, as in unpack_lane().
__global__ void unpack_sequences_kernel(const std::uint32_t* words, const DeviceSequence* sequences,
                                        std::uint32_t count, std::uint8_t* bytes) {
    const std::uint32_t lane = threadIdx.x % 32;
    for (std::uint32_t s = (blockIdx.x * blockDim.x + threadIdx.x) / 32; s < count; s += gridDim.x * blockDim.x / 32) {
        const DeviceSequence sequence = sequences[s];
        const std::uint32_t word_count = (sequence.residues + kResiduesPerWord - 1) / kResiduesPerWord;
        auto* const to = reinterpret_cast<std::uint16_t*>(bytes + sequence.first_byte);
        constexpr std::uint16_t kTwoSeparators = kPaddingCode << 8 | kPaddingCode;
        if (s == 0 && lane < kSequenceSpacing / 2) reinterpret_cast<std::uint16_t*>(bytes)[lane] = kTwoSeparators;
        for (std::uint32_t w = lane; w < word_count; w += 32) {
            const std::uint32_t word = words[sequence.first_word + std::uint64_t{w} * sequence.word_stride];
            for (std::uint32_t k = 0; k < 3; ++k) {
                const std::uint32_t two = word >> (2 * kBitsPerResidue * k), at = w * kResiduesPerWord + 2 * k;
                std::uint32_t first = two & kResidueMask, second = two >> kBitsPerResidue & kResidueMask;
                if (first >= kResidueCodes && at < sequence.residues) first = kCodeX;
                if (second >= kResidueCodes && at + 1 < sequence.residues) second = kCodeX;
                to[3 * w + k] = static_cast<std::uint16_t>(first | second << 8);
            }
        }
        if (lane < kSequenceSpacing / 2) to[3 * word_count + lane] = kTwoSeparators;
    }
}

/// The state of a warp: its block of queries, its target and its queues.
template <int kWord, bool kOneHit>
class WordHitWarp {
   public:
    static constexpr unsigned kAll = 0xffffffffu;

    __device__ WordHitWarp(const WordHitArguments& arguments, const WordHitBlock& block, const std::uint8_t* scores,
                           const std::uint8_t* queries, std::uint8_t* memory)
        : arguments_(arguments),
          block_(block),
          scores_(scores),
          queries_(queries),
          states_(reinterpret_cast<std::uint16_t*>(memory)),
          extensions_(reinterpret_cast<uint2*>(memory + WordHitLayout(arguments.diagonals).extensions)),
          waiting_(reinterpret_cast<std::uint32_t*>(memory + WordHitLayout(arguments.diagonals).waiting)),
          found_(reinterpret_cast<std::uint32_t*>(memory + WordHitLayout(arguments.diagonals).found)),
          mask_(arguments.diagonals - 1),
          window_(arguments.window),
          lane_(threadIdx.x % 32) {}

    __device__ void search(std::uint32_t sequence_index) {
        const DeviceSequence sequence = arguments_.sequences[sequence_index];
        if (sequence.residues < kWord) return;
        sequence_ = sequence_index;
        first_byte_ = sequence.first_byte;
        clear();
        const std::uint32_t starts = sequence.residues - kWord + 1;
        const WordHitEntry* const entries = arguments_.entries + block_.first_entry;
        const auto entry_at = [&](std::uint32_t j) {
            if (j >= starts) return WordHitEntry{0, 0};
            std::uint32_t code = 0;
#pragma unroll
            for (int k = 0; k < kWord; ++k) code = code * kResidueCodes + arguments_.bytes[first_byte_ + j + k];
            const auto entry = __ldcg(reinterpret_cast<const uint2*>(entries) + code);
            return WordHitEntry{entry.x, entry.y};
        };
        WordHitEntry next = entry_at(lane_);
        for (std::uint32_t first = 0; first < starts; first += 32) {
            if (first - base_ >= kWordHitRebase) rebase();
            const WordHitEntry entry = next;
            next = entry_at(first + 32 + lane_);
            take_positions(entry, first - base_ + window_);
        }
        while (extension_count_ + waiting_count_ > 0) settle();
    }

   private:
    /// Takes the hits of up to 32 target positions, where lane k has the entry of position at + k.
    /// Hits are loaded in rows of up to 32, two rows ahead.
    __device__ void take_positions(const WordHitEntry& entry, std::uint32_t at) {
        unsigned todo = __ballot_sync(kAll, entry.hit_count > 0);
        std::uint32_t row_first = 0, row_left = 0, row_at = 0;
        struct Row {
            std::uint32_t count, at, query_at;
        };
        const auto next_row = [&] {
            if (row_left > 32) {
                row_first += 32;
                row_left -= 32;
            } else if (todo != 0) {
                const int k = __ffs(static_cast<int>(todo)) - 1;
                todo &= todo - 1;
                row_first = __shfl_sync(kAll, entry.first_hit, k);
                row_left = __shfl_sync(kAll, entry.hit_count, k);
                row_at = at + static_cast<std::uint32_t>(k);
            } else {
                row_left = 0;
            }
            Row row{row_left, row_at, 0};
            if (lane_ < row_left) row.query_at = __ldcg(arguments_.hits + row_first + lane_);
            return row;
        };
        Row row = next_row(), after = next_row();
        while (row.count > 0) {
            const Row ahead = next_row();
            take(lane_ < row.count, row.query_at, row.at);
            while (extension_count_ >= arguments_.extensions_at_once || waiting_count_ >= 32) settle();
            row = after;
            after = ahead;
        }
    }

    /// Decides the hit of each lane that has one. The hits are on different diagonals. `at` is a
    /// target position counted as in the diagonals' state.
    __device__ void take(bool has_hit, std::uint32_t query_at, std::uint32_t at) {
        const std::uint32_t slot = slot_of(query_at, at);
        const std::uint32_t state = has_hit ? states_[slot] : 0;
        const auto apart = static_cast<std::int32_t>(at - (state >> 1));
        const bool behind_end = state & kIsEnd;
        bool renews = false, extends;
        if constexpr (kOneHit) {
            extends = apart >= 0;
        } else {
            renews = apart >= (behind_end ? 0 : static_cast<std::int32_t>(window_));
            extends = !behind_end && static_cast<std::uint32_t>(apart - kWord) < window_ - kWord;
        }
        const bool waits = state == kPendingDiagonal;
        if (has_hit && (renews || extends))
            states_[slot] = static_cast<std::uint16_t>(extends ? kPendingDiagonal : at << 1);
        const unsigned extending = __ballot_sync(kAll, has_hit && extends), waiting = __ballot_sync(kAll, waits);
        if (extending != 0) {
            if (has_hit && extends) {
                const std::uint32_t slot_in_queue = first_extension_ + extension_count_ + rank_in(extending);
                extensions_[slot_in_queue % kExtensionSlots] =
                    make_uint2(query_at | at << 16, static_cast<std::uint32_t>(apart));
            }
            extension_count_ += static_cast<std::uint32_t>(__popc(extending));
        }
        if (waiting != 0) {
            if (waits) waiting_[waiting_count_ + rank_in(waiting)] = query_at | at << 16;
            waiting_count_ += static_cast<std::uint32_t>(__popc(waiting));
        }
        __syncwarp();
    }

    /// Extends up to 32 queued hits, and then decides the hits that wait for them.
    __device__ void settle() {
        const std::uint32_t count = min(extension_count_, 32u);
        if (lane_ < count) {
            const uint2 entry = extensions_[(first_extension_ + lane_) % kExtensionSlots];
            const std::uint32_t query_at = entry.x & 0xffff, at = entry.x >> 16;
            states_[slot_of(query_at, at)] =
                static_cast<std::uint16_t>(extend(query_at, at, static_cast<std::int32_t>(entry.y)));
        }
        first_extension_ += count;
        extension_count_ -= count;
        __syncwarp();
        if (waiting_count_ == 0) return;
        std::uint32_t entries[kWaitingSlots / 32];
        for (std::uint32_t part = 0; part < kWaitingSlots / 32; ++part) entries[part] = waiting_[32 * part + lane_];
        const std::uint32_t old_count = waiting_count_;
        waiting_count_ = 0;
        __syncwarp();
        for (std::uint32_t part = 0; part < kWaitingSlots / 32; ++part) {
            const std::uint32_t query_at = entries[part] & 0xffff, at = entries[part] >> 16;
            bool left = 32 * part + lane_ < old_count;
            // Takes the first hit that is left on each diagonal.
            for (unsigned all_left = __ballot_sync(kAll, left); all_left != 0; all_left = __ballot_sync(kAll, left)) {
                const unsigned same = __match_any_sync(kAll, slot_of(query_at, at)) & all_left;
                const bool first = left && (same & ((1u << lane_) - 1)) == 0;
                take(first, query_at, at);
                left = left && !first;
            }
        }
    }

    /// Extends a hit and returns the diagonal's new state.
    __device__ std::uint32_t extend(std::uint32_t query_at, std::uint32_t at, std::int32_t apart) {
        const std::uint32_t target_at = first_byte_ + base_ + at - window_;  // in bytes
        const std::uint32_t query_index = arguments_.query_of_residue[block_.first_residue + kBlockMargin + query_at];
        const WordHitLimits limits = arguments_.limits[block_.first_query + query_index];
        const std::uint32_t q = kBlockMargin + query_at;  // in queries_

        const std::uint32_t query_word = residues_from(queries_, q),
                            target_word = residues_from(arguments_.bytes, target_at);
        std::int32_t sum = 0, highest = 0;
        if constexpr (kOneHit) {
            std::int32_t begin = 0, best_begin = 0, last = kWord;
#pragma unroll
            for (int k = 0; k < kWord; ++k) {
                sum += score(query_word, target_word, k);
                if (sum > highest) {
                    highest = sum;
                    best_begin = begin;
                    last = k;
                } else if (sum <= 0) {
                    sum = 0;
                    begin = k + 1;
                }
            }
            const auto from = static_cast<std::uint32_t>(best_begin - 1), to = static_cast<std::uint32_t>(last + 1);
            const Reach left = reach_left(q + from, target_at + from, highest, limits.x_drop_raw);
            const Reach right = reach_right(q + to, target_at + to, left.score_raw, limits.x_drop_raw);
            if (right.score_raw >= limits.cutoff_raw) report(query_index);
            return (at + to + right.residues - (kWord - 1)) << 1;
        } else {
            std::int32_t prefix = 0;
#pragma unroll
            for (int k = 0; k < kWord; ++k) {
                sum += score(query_word, target_word, k);
                if (sum > highest) {
                    highest = sum;
                    prefix = k + 1;
                }
            }
            const auto end = static_cast<std::uint32_t>(prefix);
            const Reach left = reach_left(q + end - 1, target_at + end - 1, 0, limits.x_drop_raw);
            if (static_cast<std::int32_t>(left.residues) < prefix + apart - kWord) {
                if (left.score_raw >= limits.cutoff_raw) report(query_index);
                return at << 1;
            }
            const Reach right = reach_right(q + end, target_at + end, left.score_raw, limits.x_drop_raw);
            if (right.score_raw >= limits.cutoff_raw) report(query_index);
            return (at + end + right.residues - (kWord - 1)) << 1 | kIsEnd;
        }
    }

    struct Reach {
        /// To the left, the number of residues up to the highest sum. To the right, the number of
        /// residues before the one that ended the extension.
        std::uint32_t residues;
        std::int32_t score_raw;
    };

    __device__ Reach reach_left(std::uint32_t query_at, std::uint32_t target_at, std::int32_t score_raw,
                                std::int32_t x_drop) const {
        const auto* query = reinterpret_cast<const std::uint32_t*>(queries_) + query_at / 4;
        const auto* target = reinterpret_cast<const std::uint32_t*>(arguments_.bytes) + target_at / 4;
        const std::uint32_t query_shift = 8 * (query_at % 4 + 1), target_shift = 8 * (target_at % 4 + 1);
        std::uint32_t query_high = *query, target_high = *target;
        Reach best{0, score_raw};
        for (std::uint32_t done = 0;; done += 4) {
            const std::uint32_t query_low = *--query, target_low = *--target;
            const std::uint32_t query_four = __funnelshift_rc(query_low, query_high, query_shift);
            const std::uint32_t target_four = __funnelshift_rc(target_low, target_high, target_shift);
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                score_raw += score(query_four, target_four, 3 - k);
                if (score_raw > best.score_raw) best = {done + k + 1, score_raw};
                if (best.score_raw - score_raw >= x_drop) return best;
            }
            query_high = query_low;
            target_high = target_low;
        }
    }

    __device__ Reach reach_right(std::uint32_t query_at, std::uint32_t target_at, std::int32_t score_raw,
                                 std::int32_t x_drop) const {
        const auto* query = reinterpret_cast<const std::uint32_t*>(queries_) + query_at / 4;
        const auto* target = reinterpret_cast<const std::uint32_t*>(arguments_.bytes) + target_at / 4;
        const std::uint32_t query_shift = 8 * (query_at % 4), target_shift = 8 * (target_at % 4);
        std::uint32_t query_low = *query, target_low = *target;
        std::int32_t highest = score_raw;
        for (std::uint32_t done = 0;; done += 4) {
            const std::uint32_t query_high = *++query, target_high = *++target;
            const std::uint32_t query_four = __funnelshift_r(query_low, query_high, query_shift);
            const std::uint32_t target_four = __funnelshift_r(target_low, target_high, target_shift);
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                score_raw += score(query_four, target_four, k);
                highest = max(highest, score_raw);
                if (score_raw <= 0 || highest - score_raw >= x_drop) return {done + k, highest};
            }
            query_low = query_high;
            target_low = target_high;
        }
    }

    /// Returns the bytes at, at + 1, ... at + 3.
    static __device__ std::uint32_t residues_from(const std::uint8_t* bytes, std::uint32_t at) {
        const auto* const words = reinterpret_cast<const std::uint32_t*>(bytes) + at / 4;
        return __funnelshift_r(words[0], words[1], 8 * (at % 4));
    }

    /// Returns the score of byte k of each word.
    __device__ std::int32_t score(std::uint32_t query_four, std::uint32_t target_four, int k) const {
        constexpr std::uint32_t kTarget = sizeof(std::int16_t), kQuery = kResidueTableSize * kTarget;
        const std::uint32_t offset = __dp4a(query_four, kQuery << (8 * k), __dp4a(target_four, kTarget << (8 * k), 0u));
        return *reinterpret_cast<const std::int16_t*>(scores_ + offset);
    }

    __device__ void report(std::uint32_t query_index) {
        const std::uint32_t bit = 1u << (query_index % 32);
        if (atomicOr(found_ + query_index / 32, bit) & bit) return;
        const unsigned place = atomicAdd(arguments_.pair_count, 1u);
        if (place < arguments_.most_pairs) arguments_.pairs[place] = {block_.first_query + query_index, sequence_};
    }

    __device__ void clear() {
        auto* const four = reinterpret_cast<uint4*>(states_);
        for (std::uint32_t i = lane_; i < arguments_.diagonals / 8; i += 32) four[i] = make_uint4(0, 0, 0, 0);
        for (std::uint32_t i = lane_; i < kMostBlockQueries / 32; i += 32) found_[i] = 0;
        base_ = 0;
        __syncwarp();
    }

    __device__ void rebase() {
        while (extension_count_ + waiting_count_ > 0) settle();
        for (std::uint32_t i = lane_; i < arguments_.diagonals; i += 32) {
            const std::uint32_t state = states_[i];
            states_[i] = static_cast<std::uint16_t>(state >= 2 * kWordHitRebase ? state - 2 * kWordHitRebase : 0);
        }
        base_ += kWordHitRebase;
        __syncwarp();
    }

    __device__ std::uint32_t slot_of(std::uint32_t query_at, std::uint32_t at) const {
        return (query_at - at - base_) & mask_;
    }
    __device__ std::uint32_t rank_in(unsigned lanes) const {
        return static_cast<std::uint32_t>(__popc(lanes & ((1u << lane_) - 1)));
    }

    const WordHitArguments& arguments_;
    const WordHitBlock& block_;
    const std::uint8_t* scores_;   // int16_t
    const std::uint8_t* queries_;  // of the block, with margins
    std::uint16_t* states_;
    uint2* extensions_;       // a ring: query position | position << 16, distance from the last hit
    std::uint32_t* waiting_;  // query position | position << 16, in order
    std::uint32_t* found_;    // a bit for each query of the block
    std::uint32_t mask_, window_, lane_;
    std::uint32_t sequence_ = 0, first_byte_ = 0, base_ = 0;
    std::uint32_t first_extension_ = 0, extension_count_ = 0, waiting_count_ = 0;
};

template <int kWord, bool kOneHit>
__global__ void __launch_bounds__(kMostWordHitWarps * 32) word_hits_kernel(const WordHitArguments arguments) {
    extern __shared__ uint4 shared[];
    auto* const scores = reinterpret_cast<std::uint8_t*>(shared);
    const WordHitLayout layout(arguments.diagonals);
    std::uint8_t* const queries = scores + layout.queries;
    const std::uint32_t block_index = blockIdx.x / arguments.thread_blocks_per_query_block;
    const WordHitBlock block = arguments.blocks[block_index];
    for (std::uint32_t i = threadIdx.x; i < layout.queries / sizeof(uint4); i += blockDim.x) {
        shared[i] = reinterpret_cast<const uint4*>(arguments.scores)[i];
    }
    const std::uint32_t query_bytes = block.residue_count + 2 * kBlockMargin;
    for (std::uint32_t i = threadIdx.x; i < (query_bytes + sizeof(uint4) - 1) / sizeof(uint4); i += blockDim.x) {
        reinterpret_cast<uint4*>(queries)[i] =
            reinterpret_cast<const uint4*>(arguments.block_residues + block.first_residue)[i];
    }
    __syncthreads();
    WordHitWarp<kWord, kOneHit> warp(arguments, block, scores, queries,
                                     scores + layout.warps + threadIdx.x / 32 * layout.warp_bytes);
    for (;;) {
        unsigned sequence = 0;
        if (threadIdx.x % 32 == 0) sequence = atomicAdd(arguments.tickets + block_index, 1u);
        sequence = __shfl_sync(0xffffffffu, sequence, 0);
        if (sequence >= arguments.sequence_count) return;
        warp.search(sequence);
    }
}

}  // namespace warpseq::cuda
