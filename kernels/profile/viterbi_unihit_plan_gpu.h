// The layout of a batch of profiles for the GPU's Viterbi unihit kernel: stored numbers, shapes and
// tables. This is host code only, so that it is tested without a GPU.
//
// The kernel computes in unsigned 16-bit halves that neither wrap nor saturate. M alone is limited
// from above, by a cap. The kernel stores a value V of the contract's integers
// (kernels/profile/viterbi_filter.h) as V + bias, and M as M + bias + lift, where lift = -(least
// match score). So match scores are stored as score + lift >= 0, and transitions out of M as
// transition - lift.
//
// A small number stands for minus infinity. Let `least` be the least xB + enter(k) of any node and
// any target of up to kViterbiUnihitLongestTarget residues. Let `highest` be the greatest M that
// the kernel can tell from greater ones. Transitions are at most 0. So a value of M, I or D that is
// at most `least` changes no later M, because every value that follows from it is at most xB +
// enter there. Therefore three kinds of values may be replaced by any value up to `least`: minus
// infinity, values that follow from a transition below least - highest, and values that the
// contract saturates at -32768.
//
// A profile fits if the lower bounds of all stored values are at least 0. The upper bounds then
// hold by the choice of the bias. `highest` is the greatest value with which a profile fits. It is
// nearly always 32766, the greatest 16-bit number but one, so that values above it are the
// contract's overflow. Profiles that do not even fit with `highest` = kViterbiHarmless (some zero
// probabilities, absurd scores) are left to Viterbi multihit.
//
// I and D are stored with the transition into the next match state already added: I(k) +
// insert_match(k + 1), D(k) + delete_match(k + 1).
//
// A profile's nodes are aligned to the end of the rows of its passes. The rows before node 1 are
// padding, in which every value is at most `least`:
//
//     pass 0:  thread 0 | pad pad  1  2 |  thread 1 |  3  4  5  6 | ...
//     pass 1:  thread 0 | 35 36 37 38 | ... the last: M
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/gpu/host_device.h"
#include "libcore/profile/plan7_profile.h"
#include "libcore/sequence/alphabet.h"
#include "libcore/sequence/tile.h"

namespace warpseq::cuda {

/// The greatest M for which the way back through J does not matter. A path through several domains
/// beats the best of these domains alone only if two of them, one behind the other, each have an M
/// above this value. The reason is that a domain adds its M, counted from xN, less the cost of E ->
/// J. Domains that add nothing can be left out.
inline constexpr int kViterbiHarmless = ViterbiProfile::kBase - ViterbiProfile::kEndLoop;
/// Most residues of a target for this kernel. Longer targets are left to Viterbi multihit.
inline constexpr std::uint64_t kViterbiUnihitLongestTarget = 65535;

struct ViterbiUnihitShape {
    int group_threads;    // G
    int rows_per_thread;  // R: a multiple of 4
    /// Speed of an H200 in 1e12 cells per second, padding rows included. It was measured and serves
    /// to choose a shape.
    double tera_cells;
};

/// Returns the shapes of all kernel instances.
std::span<const ViterbiUnihitShape> viterbi_unihit_shapes();
/// Least group_threads of a shape that can take several passes. A model takes several passes if it
/// has more nodes than a group has rows.
inline constexpr int kViterbiUnihitPassThreads = 8;
/// The group_threads of the shapes in which the warps of a block work on the same pairs. These
/// shapes are for long targets.
inline constexpr int kViterbiUnihitWideThreads = 32;

/// Classes of a list's targets by length, longest first. Class c has the targets of more than
/// kViterbiUnihitLengthLimits[c] residues that are in no earlier class. A warp takes a chain of
/// kViterbiUnihitChains[c] units of them.
inline constexpr int kViterbiUnihitLengthClasses = 5;
inline constexpr std::uint32_t kViterbiUnihitLengthLimits[kViterbiUnihitLengthClasses] = {4096, 2048, 1024, 512, 0};
inline constexpr std::uint32_t kViterbiUnihitChains[kViterbiUnihitLengthClasses] = {1, 1, 2, 4, 8};
inline constexpr std::uint32_t kViterbiUnihitMostChain = 8;
/// Number of pairs from which a list counts as long. A list with fewer pairs is short.
inline constexpr std::uint32_t kViterbiUnihitLongList = 1u << 18;

/// kUndecided (filter_verdict_gpu.h) for host code.
inline constexpr std::int16_t kViterbiUndecided = INT16_MIN + 1;

/// A profile in one shape, in the form that the kernel takes. Values are as stored, with bias and
/// lift.
struct ViterbiUnihitModel {
    std::uint32_t profile;  // index into the batch
    std::uint32_t passes;
    std::uint64_t first_entry;   // of its tables, entries of 16 bytes; ViterbiUnihitLayout::pass_entries each pass
    std::uint32_t base;          // xB(0) without move
    std::uint32_t least;         // in both halves
    std::uint32_t first_delete;  // D before the first row, in both halves
    std::uint32_t harmless;      // kViterbiHarmless as an M, in both halves
    std::uint32_t cap;           // M is limited to this, in both halves
    std::int32_t capped_result;  // result for a best M of `cap`: kViterbiOverflow or kViterbiUndecided
    std::int32_t best_offset;    // a result is the best stored M less this
};

/// Number of threads and of warps of a block of every instance.
inline constexpr int kViterbiUnihitBlockThreads = 128;
inline constexpr int kViterbiUnihitWarps = kViterbiUnihitBlockThreads / 32;

/// The layout of an instance with G threads a group and R rows a thread. Host and device share it.
/// It has the sizes of a block's work, and the offsets of the tables of a pass. The offsets count
/// entries of 16 bytes. The tables follow each other in this order:
///
///     scores        [R / 4 loads][letter][slot]   scores of four rows, 8 bytes
///     from_match    [row][thread]                 match to match, delete and insert, and the next
///                                                 row's enter, 16 bytes
///     going_on      [row][thread]                 delete to delete, insert to insert, 8 bytes
///     first_enter   [thread]                      enter of the thread's first row, 4 bytes
///
/// A row's place in from_match and going_on is r * G + t for row r of thread t.
struct ViterbiUnihitLayout {
    int groups;                 // of a warp; each computes a pair of targets
    std::uint32_t unit_items;   // items of a unit, which are the pairs that a warp computes together
    std::uint32_t least_words;  // of a unit, padding included; with it at most two units are in a group at a time
    std::uint32_t team_warps;   // warps that work on the same chain of units
    std::uint32_t chains;       // chains of a block
    std::uint32_t word_border;  // border entries of a word of a chain, 8 bytes each: a column of each group's pair
    int slots;                  // for each load and letter; threads that load in the same cycle have slots of their own
    int letter_bytes;           // of a load's scores for a letter
    std::uint32_t from_match, going_on, first_enter;
    std::uint32_t pass_entries;  // of all tables of a pass

    WARPSEQ_HOST_DEVICE constexpr ViterbiUnihitLayout(int group_threads, int rows_per_thread)
        : groups(32 / group_threads),
          unit_items(static_cast<std::uint32_t>(2 * groups)),
          least_words(static_cast<std::uint32_t>(group_threads + 1)),
          team_warps(group_threads == kViterbiUnihitWideThreads ? kViterbiUnihitWarps : 1),
          chains(kViterbiUnihitWarps / team_warps),
          word_border(static_cast<std::uint32_t>(groups) * kResiduesPerWord),
          slots(group_threads < 16 ? 16 : group_threads),
          letter_bytes(8 * slots),
          from_match(static_cast<std::uint32_t>(rows_per_thread / 4 * kResidueTableSize * slots / 2)),
          going_on(from_match + static_cast<std::uint32_t>(rows_per_thread * group_threads)),
          first_enter(going_on + static_cast<std::uint32_t>(rows_per_thread * group_threads + 1) / 2),
          pass_entries(first_enter + static_cast<std::uint32_t>(group_threads + 3) / 4) {}
    /// Returns the bytes of dynamic shared memory of a block: tables of a pass for each warp of a
    /// team, or one for all warps.
    constexpr std::size_t shared_bytes() const { return std::size_t{16} * pass_entries * team_warps; }
};

/// The tables of a batch of profiles for any GPU, in host memory. Immutable, so threads may share
/// them.
class ViterbiUnihitTables {
   public:
    /// Makes the tables. `shape`, one of viterbi_unihit_shapes(), forces a shape, for tests and
    /// tuning.
    explicit ViterbiUnihitTables(std::span<const ViterbiProfile* const> profiles,
                                 const ViterbiUnihitShape* shape = nullptr);

    /// The lists for which a range is used, as flags: short or long lists of the first run, and
    /// those of the second run (viterbi_unihit_kernel_gpu.cuh). Shapes differ between them, because
    /// the pairs of a short list do not keep a GPU busy for as long as a narrow group takes for a
    /// long target.
    enum Lists : std::uint32_t {
        kNoLists = 0,
        kShortLists = 1,
        kLongLists = 2,
        kFirstRun = 3,
        kSecondRun = 4,
        kShortAndSecond = 5,
        kAllLists = 7
    };
    /// A part of the work of one kernel: a model with one class of target lengths. Models are
    /// grouped by shape into kernels.
    struct Range {
        std::uint32_t model;  // index into models()
        std::uint32_t length_class;
        Lists lists;
    };
    struct Class {
        ViterbiUnihitShape shape;
        std::uint32_t most_passes;
        std::vector<Range> ranges;  // at least one; length classes ascend, so the longest targets come first
    };

    std::size_t profile_count() const { return fits_.size(); }
    /// Returns for each profile whether it fits the kernel, as 1 or 0.
    std::span<const std::uint8_t> fits() const { return fits_; }
    std::span<const ViterbiUnihitModel> models() const { return models_; }
    std::span<const Class> classes() const { return classes_; }
    std::span<const std::uint32_t> words() const { return words_; }  // tables of all models

   private:
    /// Adds a model for all length classes, each for the lists that `lists_of` names.
    void add_model(std::size_t index, const ViterbiProfile& profile, const ViterbiUnihitShape& shape,
                   const struct ViterbiUnihitNumbers& numbers,
                   std::span<const Lists, kViterbiUnihitLengthClasses> lists_of);

    std::vector<std::uint8_t> fits_;
    std::vector<ViterbiUnihitModel> models_;
    std::vector<Class> classes_;
    std::vector<std::uint32_t> words_;
};

/// Returns the shape with the least estimated time for a model of this length.
const ViterbiUnihitShape& plan_viterbi_unihit(int length);
/// Returns the same among the shapes of kViterbiUnihitWideThreads threads.
const ViterbiUnihitShape& plan_viterbi_unihit_wide(int length);
}  // namespace warpseq::cuda
