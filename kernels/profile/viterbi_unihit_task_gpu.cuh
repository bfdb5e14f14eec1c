// The work of a block of the GPU's Viterbi unihit kernel (viterbi_unihit_kernel_gpu.cuh): its
// arguments, a block's task, the tables in shared memory, and the feed of residues.
#pragma once

#include <cstdint>

#include "kernels/gpu/device_targets.cuh"
#include "kernels/profile/viterbi_unihit_plan_gpu.h"
#include "kernels/profile/work_list_gpu.cuh"
#include "libcore/sequence/tile.h"

namespace warpseq::cuda {

static_assert(kViterbiUndecided == kUndecided);

/// A part of a list, with one model and one length class. It is divided into tasks, and a block
/// takes a task at a time.
struct ViterbiUnihitRange {
    std::uint32_t model;
    std::uint32_t first_item, items;
    std::uint32_t task_items;
    std::uint32_t tasks_before;  // tasks in earlier ranges of the same launch
};

struct ViterbiUnihitArguments {
    const std::uint32_t* words;
    const DeviceLane* lanes;
    std::uint32_t lane_count;
    const std::uint32_t* slots;
    const std::int16_t* moves;  // by residues, 0..kViterbiUnihitLongestTarget
    const ViterbiUnihitModel* models;
    const uint4* tables;
    const ViterbiUnihitRange* ranges;  // range_count of them; one more follows, which holds the number of all tasks
    std::uint32_t range_count;
    unsigned* ticket;  // zero at the start
    uint2* borders;
    std::uint64_t border_words;  // words of a chain of a warp or team, ViterbiUnihitLayout::word_border entries each
    std::int16_t* results;
    std::uint16_t* starts;  // per item: the word in which M first exceeds kViterbiHarmless, or kViterbiUnihitNowhere
    const std::uint32_t* pending;  // the second run's items, as indices into the list; null in the first run
};

inline constexpr std::uint16_t kViterbiUnihitNowhere = 0xffff;

/// The numbers of an instance as device code reads them.
template <int G, int R>
struct ViterbiUnihitNumbersOf {
    static constexpr ViterbiUnihitLayout kLayout{G, R};
    static constexpr int kGroups = kLayout.groups;
    static constexpr std::uint32_t kUnitItems = kLayout.unit_items, kLeastWords = kLayout.least_words;
    static constexpr std::uint32_t kTeamWarps = kLayout.team_warps, kWordBorder = kLayout.word_border;
    static constexpr std::uint32_t kFromMatch = kLayout.from_match, kGoingOn = kLayout.going_on,
                                   kFirstEnter = kLayout.first_enter, kPassEntries = kLayout.pass_entries;
    static constexpr int kSlots = kLayout.slots;
    /// The base-2 logarithm of ViterbiUnihitLayout::letter_bytes.
    static constexpr int kLetterShift = kSlots == 16 ? 7 : 8;
    static_assert(kLayout.letter_bytes == 1 << kLetterShift);
    static constexpr bool kTeam = G == kViterbiUnihitWideThreads;  // whether the warps of a block are a team
};

/// Columns of a step, which are the residues of a word.
inline constexpr int kViterbiUnihitColumns = static_cast<int>(kResiduesPerWord);
/// A number of words that is never reached.
inline constexpr std::uint32_t kViterbiUnihitNever = 0x10000000u;
/// Stands for no item and for no unit.
inline constexpr std::uint32_t kViterbiUnihitNone = ~0u;
/// A best M with all bits of a half set means that the target has a stop.
inline constexpr std::uint32_t kViterbiUnihitStopSeen = 0xffffu;

/// Returns the last range that begins at a task or before it.
__device__ __forceinline__ std::uint32_t viterbi_unihit_range_of(const ViterbiUnihitArguments& arguments,
                                                                 std::uint32_t task) {
    std::uint32_t low = 0, high = arguments.range_count;
    while (high - low > 1) {
        const std::uint32_t middle = (low + high) / 2;
        if (arguments.ranges[middle].tasks_before <= task)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/// A task of a block, as a warp and a group of it see it. The warp has a chain of units, which are
/// numbered by links. A team's chain has all units of the task. Other warps each take every
/// kViterbiUnihitWarps-th unit.
template <int G, int R>
struct ViterbiUnihitTask {
    using Numbers = ViterbiUnihitNumbersOf<G, R>;
    /// A target of the list.
    struct Item {
        std::uint32_t index;  // into the list, or kViterbiUnihitNone
        std::uint32_t start;  // the first word of this item in this run
        const DeviceLane* lane;
    };

    const ViterbiUnihitArguments& arguments;
    const ViterbiUnihitModel& model;
    int warp, group;
    std::uint32_t items, first_item;
    std::uint32_t first_slot;  // of the model's profile
    std::uint32_t cap, harmless, least, base, top_delete;
    std::uint32_t minus_harmless;

    __device__ __forceinline__ ViterbiUnihitTask(const ViterbiUnihitArguments& all, const ViterbiUnihitRange& range,
                                                 std::uint32_t task, int warp_of_block, int group_of_warp)
        : arguments(all), model(all.models[range.model]), warp(warp_of_block), group(group_of_warp) {
        const std::uint32_t task_first = (task - range.tasks_before) * range.task_items;
        items = min(range.task_items, range.items - task_first);
        first_item = range.first_item + task_first;
        first_slot = model.profile * arguments.lane_count;
        cap = model.cap;
        harmless = model.harmless;
        least = model.least;
        base = model.base;
        top_delete = model.first_delete;
        minus_harmless = (0x10000u - (harmless & 0xffff)) * 0x10001u;
    }

    /// Returns the first item of a unit of the warp's chain.
    __device__ __forceinline__ std::uint32_t unit_first(std::uint32_t link) const {
        return (Numbers::kTeam ? link : link * kViterbiUnihitWarps + warp) * Numbers::kUnitItems;
    }
    /// Whether the warp's chain has this unit.
    __device__ __forceinline__ bool has_unit(std::uint32_t link) const { return unit_first(link) < items; }

    /// Returns target k of the group's pair of a unit.
    __device__ __forceinline__ Item item_of(std::uint32_t link, int k) const {
        const std::uint32_t item = unit_first(link) + group * 2 + k;
        if (item >= items) return {kViterbiUnihitNone, 0, nullptr};
        const bool again = arguments.pending != nullptr;
        const std::uint32_t index = again ? arguments.pending[first_item + item] : first_item + item;
        return {index, again ? arguments.starts[index] : 0u, arguments.lanes + (arguments.slots[index] - first_slot)};
    }

    static __device__ __forceinline__ std::uint32_t words_of(const Item& item) {
        const std::uint32_t residues = item.lane->residues;
        return residues > kViterbiUnihitLongestTarget
                   ? 0
                   : (residues + kResiduesPerWord - 1) / kResiduesPerWord - item.start;
    }

    /// Returns a target's xB.
    __device__ __forceinline__ std::uint32_t begin_of(std::uint32_t residues) const {
        return static_cast<std::uint32_t>(static_cast<int>(base) + arguments.moves[residues]);
    }

    /// Writes the results of a unit's pair. `best` is the best M, `exceeding` the number of words
    /// since M first exceeded kViterbiHarmless, and `words` the number of the unit's words.
    __device__ __forceinline__ void report(std::uint32_t link, std::uint32_t best, std::uint32_t exceeding,
                                           std::uint32_t words) const {
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            const Item item = item_of(link, k);
            if (item.index == kViterbiUnihitNone) continue;
            const std::uint32_t most = k == 0 ? best & 0xffff : best >> 16;
            const std::uint32_t since = k == 0 ? exceeding & 0xffff : exceeding >> 16;
            if (arguments.pending != nullptr) {
                if (since > 0) arguments.results[item.index] = kUndecided;
                continue;
            }
            const bool seen = most < kViterbiUnihitStopSeen && item.lane->residues <= kViterbiUnihitLongestTarget,
                       capped = most >= (cap & 0xffff);
            arguments.results[item.index] =
                static_cast<std::int16_t>(!seen    ? int{kUndecided}
                                          : capped ? model.capped_result
                                                   : static_cast<int>(most) - model.best_offset);
            arguments.starts[item.index] =
                seen && !capped && since > 0 ? static_cast<std::uint16_t>(words - since) : kViterbiUnihitNowhere;
        }
    }
};

/// The tables of a pass in shared memory, as one thread reads them.
template <int G, int R>
struct ViterbiUnihitTableReader {
    using Numbers = ViterbiUnihitNumbersOf<G, R>;
    uint4* table;
    const char* scores;
    const uint4* from_match;           // [r * G]: to match, to delete, to insert; enter of the next row
    const uint2* going_on;             // [r * G]: delete to delete, insert to insert
    const std::uint32_t* first_enter;  // enter of the first row
    std::uint32_t slot_bytes;          // of the thread's slot in a load's scores
    const uint4* loaded = nullptr;     // the table in device memory that is in shared memory

    __device__ __forceinline__ ViterbiUnihitTableReader(uint4* shared, int lane)
        : table(shared),
          scores(reinterpret_cast<const char*>(table)),
          from_match(table + Numbers::kFromMatch + lane % G),
          going_on(reinterpret_cast<const uint2*>(table + Numbers::kGoingOn) + lane % G),
          first_enter(reinterpret_cast<const std::uint32_t*>(table + Numbers::kFirstEnter) + lane % G),
          slot_bytes(static_cast<std::uint32_t>(lane % Numbers::kSlots) * 8) {}

    /// Loads the tables of a pass unless they are there. All threads that share them have to call
    /// it: those of a block, or those of a team's warp.
    __device__ __forceinline__ void load(const uint4* wanted, bool first_pass) {
        if (wanted != loaded) {
            if (!Numbers::kTeam && !first_pass) __syncthreads();
            constexpr std::uint32_t kLoaders = Numbers::kTeam ? 32 : kViterbiUnihitBlockThreads;
            for (std::uint32_t i = threadIdx.x % kLoaders; i < Numbers::kPassEntries; i += kLoaders)
                table[i] = wanted[i];
            loaded = wanted;
        }
        if constexpr (Numbers::kTeam)
            __syncwarp();
        else
            __syncthreads();
    }
};

/// The source of a group's words. Thread 0 of a group uses its words first, but all threads load
/// the same ones. The feed leads: it is in a unit, or at its border, before any thread.
template <int G, int R>
struct ViterbiUnihitFeed {
    using Task = ViterbiUnihitTask<G, R>;
    // The unit that the group's threads enter next: its number, words, and xB of both targets.
    std::uint32_t next_link = 0, next_words = 0, next_xb = 0;
    // The unit that is fed, its words, and the word that is fed.
    std::uint32_t link = 0, words = 0, word_index = 0;
    std::uint32_t drained = 0;  // steps of padding after the last unit, plus 1
    std::uint32_t source[2], source_words[2], source_stride[2];
    std::uint32_t word[2], next_word[2];  // of both targets

    __device__ __forceinline__ void begin(const Task& task) {
        look_at(task, 0);
        aim(task, 0);
        words = next_words;
    }

    /// Looks up the unit that the threads enter next.
    __device__ __forceinline__ void look_at(const Task& task, std::uint32_t next) {
        next_link = task.has_unit(next) ? next : kViterbiUnihitNone;
        if (next_link == kViterbiUnihitNone) {
            next_words = kViterbiUnihitNever;
            return;
        }
        std::uint32_t most_words = Task::Numbers::kLeastWords;
        next_xb = 0;
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            const auto item = task.item_of(next, k);
            std::uint32_t residues = 1;
            if (item.index != kViterbiUnihitNone) {
                residues = min(item.lane->residues, static_cast<std::uint32_t>(kViterbiUnihitLongestTarget));
                most_words = max(most_words, Task::words_of(item));
            }
            next_xb |= task.begin_of(residues) << (16 * k);
        }
        next_words = __reduce_max_sync(~0u, most_words);
    }

    /// Aims at the first words of a unit.
    __device__ __forceinline__ void aim(const Task& task, std::uint32_t unit) {
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            const auto item = task.item_of(unit, k);
            source[k] = source_stride[k] = source_words[k] = 0;
            if (item.index == kViterbiUnihitNone) continue;
            source_stride[k] = item.lane->word_stride;
            source[k] = item.lane->first_word + item.start * item.lane->word_stride;
            source_words[k] = Task::words_of(item);
        }
    }

    __device__ __forceinline__ void load_first_word(const Task& task) {
#pragma unroll
        for (int k = 0; k < 2; ++k) word[k] = source_words[k] > 0 ? task.arguments.words[source[k]] : kPaddingWord;
    }

    /// Moves on by a word, into the next unit if the unit ends, and loads the word.
    __device__ __forceinline__ void advance(const Task& task) {
        ++word_index;
        if (word_index == words) {
            link = next_link;
            word_index = 0;
            if (link != kViterbiUnihitNone) {
                aim(task, link);
                words = next_words;
            } else {
                drained = 1;
                words = kViterbiUnihitNever;
                source_words[0] = source_words[1] = 0;
            }
        } else {
            source[0] += source_stride[0];
            source[1] += source_stride[1];
        }
#pragma unroll
        for (int k = 0; k < 2; ++k)
            next_word[k] = word_index < source_words[k] ? task.arguments.words[source[k]] : kPaddingWord;
    }

    /// Ends a step. Returns false if all threads have left the last unit.
    __device__ __forceinline__ bool end_step(const Task& task) {
        word[0] = next_word[0];
        word[1] = next_word[1];
        if (drained > 0) {
            if (drained > G) return false;
            ++drained;
        } else if (word_index + 1 == words && link == next_link) {
            // Every thread has entered this unit by now, so the unit after it is looked up.
            look_at(task, link + 1);
        }
        return true;
    }
};

}  // namespace warpseq::cuda
