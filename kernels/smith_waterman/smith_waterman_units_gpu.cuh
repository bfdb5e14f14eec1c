// The work of a block of the GPU's Smith-Waterman kernel (smith_waterman_kernel_gpu.cuh): its
// arguments, the units of targets, the feed of residues, and the border rows between passes.
#pragma once

#include <cstdint>

#include "kernels/gpu/device_targets.cuh"
#include "kernels/smith_waterman/smith_waterman_plan_gpu.h"
#include "libcore/sequence/tile.h"

namespace warpseq::cuda {

struct SegmentArguments {
    std::int32_t query[2];  // the query that reports here, by half; -1: none does
    std::uint32_t keep;     // halves (0xffff each) whose segment continues the one before it
};

/// How far the passes are. A kernel with border rows has it in device memory, all zero at the
/// start. The units [0, fine_units) are the longest ones.
struct PassProgress {
    unsigned* passes_done;  // by unit; read and written for units that are not fine
    unsigned* words_left;   // [pass * fine_units + unit], plus 1; 0 before the pass tells for the first time
    std::uint32_t fine_units;
    std::uint32_t publish_words;  // how often a pass tells, a power of two; not 0
};

struct KernelArguments {
    const std::uint32_t* words;
    const DeviceTile* tiles;  // tile_count of them, followed by a spare whose border entries are not read
    std::uint32_t tile_count;
    const uint4* profiles;             // of all passes, one behind the other
    const SegmentArguments* segments;  // [pass * kMostGroupThreads + thread]
    std::uint32_t blocks_per_pass;
    std::uint32_t gap_first;   // as negative half-precision bit patterns, twice
    std::uint32_t gap_extend;  // negated, as 16-bit integers, twice
    uint2* borders;            // H and F below the last row, an entry per column; each pass overwrites them
    unsigned* block_ticket;    // zero at the start; without border rows it is not used
    unsigned* unit_tickets;    // by pass; zero at the start
    PassProgress progress;     // only with border rows
    std::uint16_t* scores;     // [query * lane_count + lane], zero at the start
    std::uint64_t lane_count;
};

/// The numbers of an instance as device code reads them.
template <Pairing kPairing, int G, int R, bool kLinear>
struct SmithWatermanNumbers {
    static constexpr SmithWatermanLayout kLayout{kPairing, G, R, kLinear};
    static constexpr bool kTwoQueries = kPairing == Pairing::kTwoQueries;
    static constexpr int kTargets = kLayout.targets, kGroups = kLayout.groups, kUnitTargets = kLayout.unit_targets;
    static constexpr int kRowsPerLoad = kLayout.rows_per_load, kSlots = kLayout.slots;
    static constexpr int kLetterStride = kLayout.letter_stride, kProfileEntries = kLayout.profile_entries;
    static constexpr int kBorderPitch = kLayout.border_pitch;
    static constexpr std::uint32_t kLeastWords = kLayout.least_words;
    static constexpr std::uint32_t kLanesPerTile = kLinear ? 1 : kTileLanes;
    static constexpr std::uint32_t kStepsPerWord = kSmithWatermanWordColumns / kSmithWatermanColumns;
};

/// A number of words that is never reached.
inline constexpr std::uint32_t kSmithWatermanNever = 0x10000000u;

__device__ __forceinline__ unsigned load_acquire(const unsigned* from) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}
__device__ __forceinline__ void store_release(unsigned* to, unsigned value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}

/// Copies 8 bytes from global to shared memory asynchronously, without going through a register.
__device__ __forceinline__ void copy_8_bytes_async(void* shared, const void* global) {
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(global) : "memory");
}

/// Waits until this thread's copies have arrived and the other threads of the warp see them.
__device__ __forceinline__ void wait_for_async_copies() {
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
}

/// Raises a score to `value` if it is lower. Other threads may raise it at the same time.
__device__ __forceinline__ void raise(std::uint16_t* score, std::uint16_t value) {
    auto* const at = reinterpret_cast<unsigned short*>(score);
    unsigned short seen = *at;
    while (seen < value) {
        const unsigned short before = atomicCAS(at, seen, static_cast<unsigned short>(value));
        if (before == seen) return;
        seen = before;
    }
}

/// The units of a pass. The targets of a unit are numbered by their group, and with two targets a
/// thread the second ones follow the first ones.
template <typename Numbers>
struct SmithWatermanUnits {
    const KernelArguments& arguments;
    unsigned pass;
    int lane, group;
    std::uint32_t count;

    __device__ __forceinline__ SmithWatermanUnits(const KernelArguments& all, unsigned of_pass, int lane_of_warp,
                                                  int group_of_warp)
        : arguments(all), pass(of_pass), lane(lane_of_warp), group(group_of_warp) {
        const std::uint32_t targets = arguments.tile_count * Numbers::kLanesPerTile;
        count = (targets + Numbers::kUnitTargets - 1) / Numbers::kUnitTargets;
    }

    /// Takes the pass's next unit for the warp. There is none if it is at least `count`.
    __device__ __forceinline__ unsigned take() const {
        unsigned unit = 0;
        if (lane == 0) unit = atomicAdd(arguments.unit_tickets + pass, 1);
        return __shfl_sync(~0u, unit, 0);
    }
    /// Returns the words of the unit's longest target, which are the same for the whole warp. Tiles
    /// come longest first.
    __device__ __forceinline__ std::uint32_t words_of(std::uint32_t unit) const {
        const std::uint32_t first = unit * Numbers::kUnitTargets / Numbers::kLanesPerTile;
        return max(arguments.tiles[first].word_rows, Numbers::kLeastWords);
    }
    /// Returns the number of the group's target, or of the second one if `which` is 1.
    __device__ __forceinline__ std::uint32_t target_of(std::uint32_t unit, int which) const {
        return unit * Numbers::kUnitTargets + group + which * Numbers::kGroups;
    }
    /// Returns the border entries of the group's targets. Behind the last unit they are spare.
    __device__ __forceinline__ uint2* border_of(std::uint32_t unit) const {
        const std::uint32_t target = unit * Numbers::kUnitTargets;
        const std::uint32_t tile = min(target / Numbers::kLanesPerTile, arguments.tile_count);
        return arguments.borders + arguments.tiles[tile].first_border +
               (target % Numbers::kLanesPerTile) / Numbers::kTargets + group;
    }

    /// Writes the scores of a unit's targets for the queries that a thread's segment reports.
    template <bool kBorders>
    __device__ __forceinline__ void report(std::uint32_t unit, const SegmentArguments& segment,
                                           std::uint32_t best) const {
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            const std::int32_t query = segment.query[Numbers::kTwoQueries ? k : 0];
            const std::uint32_t target = target_of(unit, Numbers::kTwoQueries ? 0 : k);
            const std::uint32_t tile = target / Numbers::kLanesPerTile, in_tile = target % Numbers::kLanesPerTile;
            if (query >= 0 && tile < arguments.tile_count && in_tile < arguments.tiles[tile].lanes) {
                std::uint16_t* const score = arguments.scores +
                                             static_cast<std::uint64_t>(query) * arguments.lane_count +
                                             arguments.tiles[tile].first_lane + in_tile;
                const auto value = static_cast<std::uint16_t>(best >> (16 * k));
                // Other passes may report the same query.
                if constexpr (kBorders) {
                    raise(score, value);
                } else {
                    *score = value;
                }
            }
        }
    }
};

/// The source of a group's words. Thread 0 of a group uses its words first, but all threads load
/// the same ones. The feed leads: it is in a unit, or at its border, before any thread.
template <typename Numbers>
struct SmithWatermanFeed {
    using Units = SmithWatermanUnits<Numbers>;
    static constexpr int kTargets = Numbers::kTargets;
    // The unit that the group's threads enter next, and its words.
    std::uint32_t next_unit, next_words;
    // The unit that is fed, its words, and the word that is fed.
    std::uint32_t unit, words, word_index = 0;
    std::uint32_t drained = 0;  // words of padding after the last unit, plus 1
    const std::uint32_t* source[kTargets];
    std::uint32_t source_words[kTargets];
    std::uint32_t word[kTargets], next_word[kTargets];

    __device__ __forceinline__ void begin(const Units& units, std::uint32_t first_unit) {
        next_unit = first_unit;
        next_words = units.words_of(next_unit);
        unit = next_unit;
        words = next_words;
        aim(units);
    }

    /// Aims at the first words of the unit that is fed.
    __device__ __forceinline__ void aim(const Units& units) {
#pragma unroll
        for (int k = 0; k < kTargets; ++k) {
            const std::uint32_t target = units.target_of(unit, k), tile = target / Numbers::kLanesPerTile;
            source_words[k] = 0;
            source[k] = units.arguments.words;
            if (tile < units.arguments.tile_count) {
                source_words[k] = units.arguments.tiles[tile].word_rows;
                source[k] += units.arguments.tiles[tile].first_word + target % Numbers::kLanesPerTile;
            }
        }
    }

    __device__ __forceinline__ void load_first_word() {
#pragma unroll
        for (int k = 0; k < kTargets; ++k) word[k] = source_words[k] > 0 ? *source[k] : kPaddingWord;
    }

    /// Moves on by a word, into the next unit if the unit ends. `borders` follow.
    template <typename Borders>
    __device__ __forceinline__ void advance(const Units& units, Borders& borders) {
        ++word_index;
        if (word_index == words) {
            unit = next_unit;
            word_index = 0;
            borders.enter_feed_unit(units, unit);
            if (unit < units.count) {
                aim(units);
                words = next_words;
            } else {
                drained = 1;
                words = kSmithWatermanNever;
                borders.stages = false;
#pragma unroll
                for (int k = 0; k < kTargets; ++k) source_words[k] = 0;
            }
        } else {
#pragma unroll
            for (int k = 0; k < kTargets; ++k) source[k] += Numbers::kLanesPerTile;
        }
#pragma unroll
        for (int k = 0; k < kTargets; ++k) next_word[k] = word_index < source_words[k] ? *source[k] : kPaddingWord;
    }

    __device__ __forceinline__ void take_next_word() {
#pragma unroll
        for (int k = 0; k < kTargets; ++k) word[k] = next_word[k];
    }

    /// Ends a word. Returns false if all threads have left the last unit. G threads are a group.
    template <int G>
    __device__ __forceinline__ bool end_word(const Units& units) {
        if (drained > 0) {
            if ((drained - 1) * Numbers::kStepsPerWord >= G) return false;
            ++drained;
        } else if (word_index + 1 == words && unit == next_unit) {
            // Every thread has entered this unit by now, so the warp takes the one after it.
            next_unit = units.take();
            next_words = next_unit < units.count ? units.words_of(next_unit) : kSmithWatermanNever;
        }
        return true;
    }
};

/// The border rows of a group. Thread G - 1 writes where `border` points, a column at a time. What
/// lies above thread 0's first row is fetched a word ahead into shared memory by asynchronous
/// copies. Ordinary loads would share a scoreboard with the score loads, and each step would wait
/// for device memory.
///
/// Border rows are read only where the pass before has written them. In the first pass no segment
/// continues, and behind the last unit no score is reported. So the content of `staged` has no
/// effect in these two cases.
template <typename Numbers, bool kBorders>
struct SmithWatermanBorders {
    using Units = SmithWatermanUnits<Numbers>;
    using Feed = SmithWatermanFeed<Numbers>;
    static constexpr std::uint32_t kNoUnit = ~0u;
    uint2* border = nullptr;
    const uint2* feed_border = nullptr;
    uint2* staged[2];
    bool stages;
    std::uint32_t words_written = 0;    // of the feed's unit, by the pass before, as far as known
    std::uint32_t left_unit = kNoUnit;  // the unit that thread G - 1 has left in this word

    __device__ __forceinline__ void begin(const Units& units, const Feed& feed, uint4* profile) {
        if constexpr (kBorders) {
            border = units.border_of(units.count);
            feed_border = units.border_of(feed.unit);
            uint2* const staging = reinterpret_cast<uint2*>(profile + Numbers::kProfileEntries);
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                staged[half] = staging + ((threadIdx.x / 32 * 2 + half) * Numbers::kGroups + units.group) *
                                             kSmithWatermanWordColumns;
            }
        }
        stages = units.pass > 0;
    }

    __device__ __forceinline__ void enter_feed_unit(const Units& units, std::uint32_t unit) {
        if constexpr (kBorders) {
            feed_border = units.border_of(min(unit, units.count));
            words_written = 0;
        }
    }
    __device__ __forceinline__ void enter_unit(const Units& units, std::uint32_t unit) {
        if constexpr (kBorders) border = units.border_of(min(unit, units.count));
    }

    /// Waits until the pass before has written the feed's word.
    __device__ __forceinline__ void wait_for_pass_before(const Units& units, const Feed& feed) {
        const PassProgress& progress = units.arguments.progress;
        while (words_written <= feed.word_index) {
            if (feed.unit < progress.fine_units) {
                const unsigned left_and_1 =
                    load_acquire(progress.words_left + std::size_t{units.pass - 1} * progress.fine_units + feed.unit);
                if (left_and_1 > 0) words_written = feed.words + 1 - left_and_1;
            } else if (load_acquire(progress.passes_done + feed.unit) >= units.pass) {
                words_written = kSmithWatermanNever;
            }
            if (words_written <= feed.word_index) __nanosleep(200);
        }
    }

    /// Begins to fetch the entries of the feed's word. Thread t of a group fetches one.
    __device__ __forceinline__ void stage(uint2* to, const Units& units, const Feed& feed, int t) {
        if (stages) {
            wait_for_pass_before(units, feed);
            if (t < kSmithWatermanWordColumns) copy_8_bytes_async(to + t, feed_border + t * Numbers::kBorderPitch);
        }
        feed_border += kSmithWatermanWordColumns * Numbers::kBorderPitch;
    }
    __device__ __forceinline__ void stage_first(const Units& units, const Feed& feed, int t) {
        if constexpr (kBorders) {
            stage(staged[0], units, feed, t);
            wait_for_async_copies();
        }
    }
    __device__ __forceinline__ void stage_next(const Units& units, const Feed& feed, int t) {
        if constexpr (kBorders) stage(staged[1], units, feed, t);
    }

    /// Writes the columns of a step, if this is the group's last thread.
    __device__ __forceinline__ void write(bool last, const std::uint32_t (&H)[kSmithWatermanColumns],
                                          const std::uint32_t (&F)[kSmithWatermanColumns]) {
        if constexpr (kBorders) {
            if (last) {
#pragma unroll
                for (int c = 0; c < kSmithWatermanColumns; ++c)
                    border[c * Numbers::kBorderPitch] = make_uint2(H[c], F[c]);
            }
            border += kSmithWatermanColumns * Numbers::kBorderPitch;
        }
    }

    /// Ends a word: waits for the entries of the next word, and tells the next pass how far this
    /// one is. The warp's last thread is in `unit` and leaves it after `left` steps.
    __device__ __forceinline__ void end_word(const Units& units, const Feed& feed, std::uint32_t unit,
                                             std::uint32_t left) {
        if constexpr (kBorders) {
            uint2* const read = staged[0];
            staged[0] = staged[1];
            staged[1] = read;
            wait_for_async_copies();
            if (units.lane == 31) {
                const PassProgress& progress = units.arguments.progress;
                if (left_unit < units.count) {
                    publish(units, left_unit, 0);
                    left_unit = kNoUnit;
                } else if (feed.word_index > 0 && (feed.word_index & (progress.publish_words - 1)) == 0 &&
                           unit < progress.fine_units) {
                    publish(units, unit, (left + Numbers::kStepsPerWord - 1) / Numbers::kStepsPerWord);
                }
            }
        }
    }

   private:
    /// Tells the next pass that the last thread has left a unit or is in the middle of one.
    static __device__ __forceinline__ void publish(const Units& units, std::uint32_t unit, std::uint32_t words_left) {
        const PassProgress& progress = units.arguments.progress;
        if (unit < progress.fine_units) {
            store_release(progress.words_left + std::size_t{units.pass} * progress.fine_units + unit, words_left + 1);
        } else if (words_left == 0) {
            store_release(progress.passes_done + unit, units.pass + 1);
        }
    }
};

}  // namespace warpseq::cuda
