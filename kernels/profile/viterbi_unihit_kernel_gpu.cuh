// The GPU's Viterbi unihit kernel. The recurrence is that of kernels/profile/viterbi_filter.h
// without the way back from E to B through J. So the result needs only the best M, and no value
// runs against the direction of the wavefront. J can matter only if two domains, one behind the
// other, each exceed kViterbiHarmless (viterbi_unihit_plan_gpu.h). A second run takes the targets
// in which some M exceeds it. The run begins after the first word with such an M, and finds out
// whether M exceeds it again. If so, the target is left to Viterbi multihit.
// viterbi_unihit_plan_gpu.h explains how numbers are stored, and why a small number can stand for
// minus infinity.
//
// Two targets of a profile share a register, one in each half. They are neighbours in the list and
// of similar length. A group of G threads computes a pair of targets. Each thread has R rows
// (nodes), and a step computes C = 6 columns (the residues of a word of a tile). Thread t is a step
// behind thread t - 1. It gets from that thread by shuffle, for its first row, the value that leads
// into M and the value of D. Rows run down a thread's registers. For each row:
//
//     m       = min(before + score, cap)               before = max of the four ways into M, kept
//                                                      from the column before
//     before' = max3(max(m + match_match, xB + enter),
//                    insert, del)                      of the next row, next column
//     del'    = max(m + match_delete,
//                   del + delete_delete)               of the next row, this column
//     insert' = max(m + match_insert,
//                   insert + insert_insert)            of this row, next column
//
// Two cells take 6.5 operations on the integer pipe, and two additions on another pipe. The 6.5
// include half of a three-way maximum for the best M, and a permutation that combines the scores of
// both targets. Scores and transitions come from shared memory. The transitions of a row serve six
// columns of two targets.
//
// Targets are chained. When thread 0 has fed the last word of a unit (the pairs that a warp
// computes together), it feeds the first word of the next unit. Each thread passes on its best M
// and clears its registers when the border between units passes it.
//
// A padding residue has a stored score of 0, which is the least score. So M = before - lift there.
// This is at most the best M so far: every way into M comes from an M (less lift) or from xB +
// enter, and some M of the first column is at least xB + enter. So padding behind a pair's shorter
// target, and behind a unit's shorter pairs, changes nothing. Stops are searched for in the words
// themselves.
//
// Models with more nodes than a group has rows take several passes over the same chain of targets.
// The values that thread G - 1 passes on are kept in global memory, six entries for each word of a
// pair. Each pass overwrites them in place.
//
// If a group is a whole warp, the warps of a block are a team. They all work on the same chain of
// targets, each on a pass of its own with tables of its own. Each warp waits for the values that
// the pass before it passes on. Teams are for long targets, which would otherwise end long after
// all others.
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
    std::uint64_t border_words;  // words of a chain of a warp or team; each has kGroups * 6 entries
    std::int16_t* results;
    std::uint16_t* starts;  // per item: the word in which M first exceeds kViterbiHarmless, or kViterbiUnihitNowhere
    const std::uint32_t* pending;  // the second run's items, as indices into the list; null in the first run
};

inline constexpr std::uint16_t kViterbiUnihitNowhere = 0xffff;
inline constexpr int kViterbiUnihitBlockThreads = 128;
inline constexpr int kViterbiUnihitWarps = kViterbiUnihitBlockThreads / 32;

// Constants for device code, which cannot call these host functions.
template <int G>
inline constexpr int kViterbiUnihitSlots = viterbi_unihit_slots(G);
template <int G, int R>
inline constexpr auto kViterbiUnihitScoreEntries = static_cast<std::uint32_t>(viterbi_unihit_score_entries(G, R));
template <int G, int R>
inline constexpr auto kViterbiUnihitPassEntries = static_cast<std::uint32_t>(viterbi_unihit_pass_entries(G, R));

template <int R>
inline constexpr int kViterbiUnihitMinBlocks = R <= 16 ? 4 : 3;

/// Copies from global to shared memory asynchronously, without going through a register.
__device__ __forceinline__ void copy_border_async(void* shared, const void* global) {
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(global) : "memory");
}

template <int G, int R, bool kPasses>
__global__ void __launch_bounds__(kViterbiUnihitBlockThreads, kViterbiUnihitMinBlocks<R>)
    viterbi_unihit_kernel(const __grid_constant__ ViterbiUnihitArguments arguments) {
    static_assert(32 % G == 0 && R % 4 == 0);
    constexpr int C = static_cast<int>(kResiduesPerWord);
    static_assert(!kPasses || G >= C, "a thread for each border entry of a word");
    constexpr int kSlots = kViterbiUnihitSlots<G>;
    constexpr std::uint32_t kScoreEntries = kViterbiUnihitScoreEntries<G, R>;
    constexpr int kGroups = 32 / G;
    constexpr std::uint32_t kUnitItems = 2 * kGroups;  // items of a warp's unit
    constexpr std::uint32_t kPassEntries = kViterbiUnihitPassEntries<G, R>;
    // Least number of words of a unit; shorter units are padded. With it, at most two units are in
    // a group at a time.
    constexpr std::uint32_t kLeastWords = G + 1;
    constexpr std::uint32_t kNever = 0x10000000u;
    constexpr std::uint32_t kNone = ~0u;
    constexpr int kLetterShift = kSlots == 16 ? 7 : 8;  // bytes of a letter
    constexpr std::uint32_t kOnes = 0x02108421u, kStops = kCodeStop * kOnes,
                            kFieldTops = kOnes << (kBitsPerResidue - 1);

    extern __shared__ uint4 tables[];
    __shared__ unsigned shared_task;
    __shared__ uint2 staging[kPasses ? kViterbiUnihitWarps * 2 * kGroups * C : 1];
    __shared__ uint2 pass_best[kPasses ? kViterbiUnihitWarps * kViterbiUnihitMostChain * kGroups : 1];
    // For each warp of a team, how far it has written its borders: kPassWords for each of its
    // finished passes, plus the number of words of its current pass.
    constexpr bool kTeam = G == kViterbiUnihitWideThreads;
    constexpr std::uint32_t kTeamWarps = kTeam ? kViterbiUnihitWarps : 1, kPassWords = 0x10000u;
    __shared__ std::uint32_t progress[kTeamWarps];

    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, t = lane % G, group = lane / G;
    uint4* const table = kTeam ? tables + warp * kPassEntries : tables;
    const char* const scores = reinterpret_cast<const char*>(table);
    const uint4* const four = table + kScoreEntries + t;
    const uint2* const two = reinterpret_cast<const uint2*>(table + kScoreEntries + R * G) + t;
    const std::uint32_t* const first_enter =
        reinterpret_cast<const std::uint32_t*>(table + kScoreEntries + R * G + (R * G + 1) / 2) + t;
    const std::uint32_t slot_bytes = static_cast<std::uint32_t>(lane % kSlots) * 8;

    const uint4* loaded = nullptr;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) shared_task = atomicAdd(arguments.ticket, 1);
        if (kTeam && threadIdx.x < kTeamWarps) progress[threadIdx.x] = 0;
        __syncthreads();
        const std::uint32_t task = shared_task;
        if (task >= arguments.ranges[arguments.range_count].tasks_before) return;
        std::uint32_t low = 0, high = arguments.range_count;  // the last range that begins at this task or before
        while (high - low > 1) {
            const std::uint32_t middle = (low + high) / 2;
            if (arguments.ranges[middle].tasks_before <= task)
                low = middle;
            else
                high = middle;
        }
        const ViterbiUnihitRange range = arguments.ranges[low];
        const std::uint32_t task_first = (task - range.tasks_before) * range.task_items;
        const std::uint32_t items = min(range.task_items, range.items - task_first);
        const std::uint32_t first_item = range.first_item + task_first;
        const ViterbiUnihitModel& model = arguments.models[range.model];
        const std::uint32_t first_slot = model.profile * arguments.lane_count;
        const std::uint32_t cap = model.cap, harmless = model.harmless, least = model.least, base = model.base,
                            top_delete = model.first_delete;
        const std::uint32_t minus_harmless = (0x10000u - (harmless & 0xffff)) * 0x10001u;
        const std::uint32_t passes = kPasses ? model.passes : 1;

        // Returns the first item of a unit of the warp's chain. A team's chain has all units of the
        // task. Other warps each take every kViterbiUnihitWarps-th unit.
        const auto unit_first = [&](std::uint32_t link) {
            return (kTeam ? link : link * kViterbiUnihitWarps + warp) * kUnitItems;
        };
        struct Item {
            std::uint32_t index;  // into the list, or kNone
            std::uint32_t start;  // the first word of this item in this run
            const DeviceLane* lane;
        };
        const auto item_of = [&](std::uint32_t link, int k) -> Item {
            const std::uint32_t item = unit_first(link) + group * 2 + k;
            if (item >= items) return {kNone, 0, nullptr};
            const bool again = arguments.pending != nullptr;
            const std::uint32_t index = again ? arguments.pending[first_item + item] : first_item + item;
            return {index, again ? arguments.starts[index] : 0u,
                    arguments.lanes + (arguments.slots[index] - first_slot)};
        };
        const auto words_of = [](const Item& item) {
            const std::uint32_t residues = item.lane->residues;
            return residues > kViterbiUnihitLongestTarget
                       ? 0
                       : (residues + kResiduesPerWord - 1) / kResiduesPerWord - item.start;
        };
        // Writes the results of a unit's pair. `pair_best` is the best M, `pair_exceeding` the
        // number of words since M first exceeded kViterbiHarmless, and `words` the number of the
        // unit's words.
        const auto report = [&](std::uint32_t link, std::uint32_t pair_best, std::uint32_t pair_exceeding,
                                std::uint32_t words) {
#pragma unroll
            for (int k = 0; k < 2; ++k) {
                const Item item = item_of(link, k);
                if (item.index == kNone) continue;
                const std::uint32_t most = k == 0 ? pair_best & 0xffff : pair_best >> 16;
                const std::uint32_t since = k == 0 ? pair_exceeding & 0xffff : pair_exceeding >> 16;
                if (arguments.pending != nullptr) {
                    if (since > 0) arguments.results[item.index] = kUndecided;
                    continue;
                }
                // A best M with all bits set means a stop.
                const bool seen = most < 0xffff && item.lane->residues <= kViterbiUnihitLongestTarget,
                           capped = most >= (cap & 0xffff);
                arguments.results[item.index] =
                    static_cast<std::int16_t>(!seen    ? int{kUndecided}
                                              : capped ? model.capped_result
                                                       : static_cast<int>(most) - model.best_offset);
                arguments.starts[item.index] =
                    seen && !capped && since > 0 ? static_cast<std::uint16_t>(words - since) : kViterbiUnihitNowhere;
            }
        };

        for (std::uint32_t pass = kTeam ? warp : 0; pass < passes; pass += kTeamWarps) {
            const uint4* const wanted = arguments.tables + model.first_entry + pass * kPassEntries;
            if (wanted != loaded) {
                if (!kTeam && pass > 0) __syncthreads();
                constexpr std::uint32_t kLoaders = kTeam ? 32 : kViterbiUnihitBlockThreads;
                for (std::uint32_t i = threadIdx.x % kLoaders; i < kPassEntries; i += kLoaders) table[i] = wanted[i];
                loaded = wanted;
            }
            if constexpr (kTeam)
                __syncwarp();
            else
                __syncthreads();
            if (unit_first(0) >= items) continue;

            // The unit that the group's threads enter next.
            std::uint32_t next_link = 0, next_words = 0, next_xb = 0;
            const auto look_at = [&](std::uint32_t link) {
                next_link = unit_first(link) < items ? link : kNone;
                if (next_link == kNone) {
                    next_words = kNever;
                    return;
                }
                std::uint32_t words = kLeastWords;
                next_xb = 0;
#pragma unroll
                for (int k = 0; k < 2; ++k) {
                    const Item item = item_of(link, k);
                    std::uint32_t residues = 1;
                    if (item.index != kNone) {
                        residues = min(item.lane->residues, static_cast<std::uint32_t>(kViterbiUnihitLongestTarget));
                        words = max(words, words_of(item));
                    }
                    next_xb |= static_cast<std::uint32_t>(static_cast<int>(base) + arguments.moves[residues])
                               << (16 * k);
                }
                next_words = __reduce_max_sync(~0u, words);
            };
            look_at(0);

            // The feed is the source of the next words. Only thread 0 of a group uses its words,
            // but all threads load the same ones.
            std::uint32_t source[2], source_words[2], source_stride[2];
            const auto aim = [&](std::uint32_t link) {
#pragma unroll
                for (int k = 0; k < 2; ++k) {
                    const Item item = item_of(link, k);
                    source[k] = source_stride[k] = source_words[k] = 0;
                    if (item.index == kNone) continue;
                    source_stride[k] = item.lane->word_stride;
                    source[k] = item.lane->first_word + item.start * item.lane->word_stride;
                    source_words[k] = words_of(item);
                }
            };
            aim(0);
            std::uint32_t fed_link = 0, fed_words = next_words, fed = 0;
            std::uint32_t link = kNone;  // the unit this thread is in
            std::uint32_t left = t;      // steps until this thread leaves it
            std::uint32_t drained = 0;   // steps of padding after the last unit, plus 1

            std::uint32_t before[R], insert[R], bottom_before[C], bottom_delete[C], taken[2];
#pragma unroll
            for (int r = 0; r < R; ++r) before[r] = insert[r] = 0;
#pragma unroll
            for (int c = 0; c < C; ++c) bottom_before[c] = bottom_delete[c] = 0;
            taken[0] = taken[1] = kPaddingWord;
            std::uint32_t best = 0, passed_best = 0, xb = 0;
            std::uint32_t exceeding = 0,
                          passed_exceeding = 0;  // steps in this unit since best exceeds kViterbiHarmless
            std::uint32_t unit_words = 0;

            uint2* border = nullptr;
            const uint2* feed_border = nullptr;
            uint2* staged[2] = {};
            const bool reads = kPasses && pass > 0, writes = kPasses && pass + 1 < passes;
            if constexpr (kPasses) {
                const std::uint64_t share = kTeam ? blockIdx.x : std::uint64_t{blockIdx.x} * kViterbiUnihitWarps + warp;
                border = arguments.borders + share * arguments.border_words * (kGroups * C) + group * C;
                feed_border = border + t;
                for (int half = 0; half < 2; ++half) staged[half] = staging + ((warp * 2 + half) * kGroups + group) * C;
            }
            // For a team: the progress that the previous warp must have made, and this warp's own
            // progress.
            std::uint32_t wanted_progress = kTeam && reads ? (pass - 1) / kTeamWarps * kPassWords : 0,
                          own_progress = pass / kTeamWarps * kPassWords;
            const auto stage_borders = [&](uint2* to) {
                if constexpr (kTeam) {
                    ++wanted_progress;
                    if (lane == 0) {
                        while (atomicAdd(progress + (pass - 1) % kTeamWarps, 0) < wanted_progress) __nanosleep(100);
                        __threadfence_block();
                    }
                    __syncwarp();
                }
                if (t < C) copy_border_async(to + t, feed_border);
                feed_border += kGroups * C;
            };
            const auto wait_for_borders = [] {
                asm volatile("cp.async.wait_all;" ::: "memory");
                __syncwarp();
            };
            if (kPasses && reads) {
                stage_borders(staged[0]);
                wait_for_borders();
            }

            std::uint32_t word[2], next_word[2];
#pragma unroll
            for (int k = 0; k < 2; ++k) word[k] = source_words[k] > 0 ? arguments.words[source[k]] : kPaddingWord;

#pragma unroll 1
            for (;;) {
                ++fed;
                if (fed == fed_words) {
                    fed_link = next_link;
                    fed = 0;
                    if (fed_link != kNone) {
                        aim(fed_link);
                        fed_words = next_words;
                    } else {
                        drained = 1;
                        fed_words = kNever;
                        source_words[0] = source_words[1] = 0;
                    }
                } else {
                    source[0] += source_stride[0];
                    source[1] += source_stride[1];
                }
#pragma unroll
                for (int k = 0; k < 2; ++k)
                    next_word[k] = fed < source_words[k] ? arguments.words[source[k]] : kPaddingWord;
                if (kPasses && reads && drained == 0) stage_borders(staged[1]);

                const std::uint32_t handed_best = __shfl_up_sync(~0u, passed_best, 1, G);
                const std::uint32_t handed_exceeding = __shfl_up_sync(~0u, passed_exceeding, 1, G);
                if (left == 0) {  // this thread's first step in its next unit
                    passed_best = t == 0 ? best : __vmaxu2(best, handed_best);
                    passed_exceeding = t == 0 ? exceeding : __vmaxu2(exceeding, handed_exceeding);
                    if (t == G - 1 && link != kNone) {
                        if constexpr (kPasses) {
                            uint2& kept = pass_best[(warp * kViterbiUnihitMostChain + link) * kGroups + group];
                            if (pass >= kTeamWarps) {
                                passed_best = __vmaxu2(passed_best, kept.x);
                                passed_exceeding = __vmaxu2(passed_exceeding, kept.y);
                            }
                            kept = make_uint2(passed_best, passed_exceeding);
                        }
                        if (!kTeam && !writes) report(link, passed_best, passed_exceeding, unit_words);
                    }
                    link = next_link;
                    left = unit_words = next_words;
                    xb = next_xb;
                    best = exceeding = 0;
                    before[0] = xb + *first_enter;
#pragma unroll
                    for (int r = 1; r < R; ++r) before[r] = xb + four[(r - 1) * G].w;
#pragma unroll
                    for (int r = 0; r < R; ++r) insert[r] = least;
                }
                --left;

#pragma unroll
                for (int k = 0; k < 2; ++k) {
                    const std::uint32_t handed = __shfl_up_sync(~0u, taken[k], 1, G);
                    taken[k] = t == 0 ? word[k] : handed;
                    const std::uint32_t other = taken[k] ^ kStops;  // a field of zeros means a stop
                    if (((other - kOnes) & ~other & kFieldTops) != 0) best |= 0xffffu << (16 * k);
                }
                std::uint32_t in[C], del[C];  // value that leads into M of the row, a column late; D of the row
                const std::uint32_t top_before = xb + *first_enter;
#pragma unroll
                for (int c = 0; c < C; ++c) {
                    const std::uint32_t handed_in = __shfl_up_sync(~0u, bottom_before[c], 1, G);
                    const std::uint32_t handed_delete = __shfl_up_sync(~0u, bottom_delete[c], 1, G);
                    uint2 top = make_uint2(top_before, top_delete);
                    if (kPasses && reads) top = staged[0][c];
                    in[c] = t == 0 ? top.x : handed_in;
                    del[c] = t == 0 ? top.y : handed_delete;
                }
                std::uint32_t letter[C][2];  // byte offsets into the scores
#pragma unroll
                for (int c = 0; c < C; ++c) {
#pragma unroll
                    for (int k = 0; k < 2; ++k) {
                        constexpr int kBits = static_cast<int>(kBitsPerResidue);
                        const std::uint32_t moved = kBits * c < kLetterShift ? taken[k] << (kLetterShift - kBits * c)
                                                                             : taken[k] >> (kBits * c - kLetterShift);
                        letter[c][k] = (moved & (kResidueMask << kLetterShift)) | slot_bytes;
                    }
                }

#pragma unroll
                for (int load = 0; load < R / 4; ++load) {
                    uint2 score[C][2];
#pragma unroll
                    for (int c = 0; c < C; ++c) {
#pragma unroll
                        for (int k = 0; k < 2; ++k)
                            score[c][k] = *reinterpret_cast<const uint2*>(scores + letter[c][k] +
                                                                          load * (kResidueTableSize << kLetterShift));
                    }
#pragma unroll
                    for (int i = 0; i < 4; ++i) {
                        const int r = load * 4 + i;
                        const uint4 from_match = four[r * G];  // to match, delete, insert; enter of the next row
                        const uint2 going_on = two[r * G];     // delete, insert
                        const std::uint32_t begun = xb + from_match.w;
                        std::uint32_t kept = insert[r], m[C], out[C];
#pragma unroll
                        for (int c = 0; c < C; ++c) {
                            const std::uint32_t pair =
                                __byte_perm(i < 2 ? score[c][0].x : score[c][0].y,
                                            i < 2 ? score[c][1].x : score[c][1].y, i % 2 == 0 ? 0x5410 : 0x7632);
                            m[c] = __viaddmin_u16x2(c == 0 ? before[r] : in[c - 1], pair, cap);
                            out[c] = __vimax3_u16x2(__viaddmax_u16x2(m[c], from_match.x, begun), kept, del[c]);
                            del[c] = __viaddmax_u16x2(m[c], from_match.y, del[c] + going_on.x);
                            kept = __viaddmax_u16x2(m[c], from_match.z, kept + going_on.y);
                        }
                        before[r] = in[C - 1];
                        insert[r] = kept;
#pragma unroll
                        for (int c = 0; c < C; c += 2) best = __vimax3_u16x2(best, m[c], m[c + 1]);
#pragma unroll
                        for (int c = 0; c < C; ++c) in[c] = out[c];
                    }
                }
                exceeding += __viaddmin_u16x2(__vmaxu2(best, harmless), minus_harmless, 0x10001u);
#pragma unroll
                for (int c = 0; c < C; ++c) bottom_before[c] = in[c], bottom_delete[c] = del[c];
                if constexpr (kPasses) {
                    if (writes && t == G - 1 && link != kNone) {
                        auto* const to = reinterpret_cast<uint4*>(border);
#pragma unroll
                        for (int c = 0; c < C; c += 2)
                            to[c / 2] = make_uint4(bottom_before[c], bottom_delete[c], bottom_before[c + 1],
                                                   bottom_delete[c + 1]);
                        border += kGroups * C;
                        if constexpr (kTeam) {
                            __threadfence_block();
                            atomicExch(progress + warp, ++own_progress);
                        }
                    }
                    if (reads) {
                        uint2* const read = staged[0];
                        staged[0] = staged[1];
                        staged[1] = read;
                        wait_for_borders();
                    }
                }
                word[0] = next_word[0];
                word[1] = next_word[1];
                if (drained > 0) {
                    if (drained > G) break;
                    ++drained;
                } else if (fed + 1 == fed_words && fed_link == next_link) {
                    // Every thread has entered this unit by now, so the unit after it is looked up.
                    look_at(fed_link + 1);
                }
            }
        }
        if constexpr (kTeam) {
            __syncthreads();
            const std::uint32_t link = threadIdx.x;
            if (link * kUnitItems < items) {
                std::uint32_t words = kLeastWords, pair_best = 0, pair_exceeding = 0;
                for (int k = 0; k < 2; ++k) {
                    const Item item = item_of(link, k);
                    if (item.index != kNone) words = max(words, words_of(item));
                }
                for (std::uint32_t w = 0; w < min(passes, kTeamWarps); ++w) {
                    pair_best = __vmaxu2(pair_best, pass_best[w * kViterbiUnihitMostChain + link].x);
                    pair_exceeding = __vmaxu2(pair_exceeding, pass_best[w * kViterbiUnihitMostChain + link].y);
                }
                report(link, pair_best, pair_exceeding, words);
            }
        }
    }
}

}  // namespace warpseq::cuda
