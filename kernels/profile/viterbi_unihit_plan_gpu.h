// How a batch of profiles is laid out for the GPU's Viterbi unihit kernel: numbers, shapes and
// tables. Host code only, so that it is tested without a GPU.
//
// Numbers. The kernel computes in unsigned 16-bit halves that neither wrap nor saturate, save for
// one cap above. It stores a value V of the contract's integers (kernels/profile/viterbi_filter.h)
// as V + bias, and M as M + bias + lift, where lift = -(least match score): so match scores are
// stored as score + lift >= 0, and transitions out of M as transition - lift.
//
// Small instead of minus infinity. Let `least` be the least xB + enter(k) of any node and any
// target of up to kViterbiUnihitLongestTarget residues. Transitions never add, so a value V <=
// least of M, I or D changes no later M: whatever it leads to is at most xB + enter there. So minus
// infinity, what a transition below least - highest leads to, where `highest` is the greatest M
// that the kernel tells from greater ones, and what the contract saturates at -32768 may be any
// value that is at most least. A profile *fits* if the stored lower bounds of everything are at
// least 0; the upper bounds then hold by the choice of the bias. `highest` is the greatest with
// which a profile fits, nearly always the greatest number of 16 bits but one, so that what exceeds
// it is the contract's overflow. Profiles that do not even fit with kViterbiHarmless (zero
// probabilities of some kinds, absurd scores) are left to Viterbi multihit.
//
// I and D are kept with their way into the next match already added: I(k) + insert_match(k + 1),
// D(k) + delete_match(k + 1).
//
// Nodes stand at the end of the rows of their passes; the rows before node 1 are padding, in which
// every value is at most least:
//
//     pass 0:  thread 0 | pad pad  1  2 |  thread 1 |  3  4  5  6 | ...    pass 1:  thread 0 | 35 36 37 38 | ... the last: M
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/profile/plan7_profile.h"

namespace warpseq::cuda {

/// Up to this M the way back through J does not matter. More precisely: a path through several
/// domains is better than the best of them alone only if each of two of them, one beginning after
/// the other's end, has an M above this on its own, since a domain adds its M, counted from xN,
/// less the cost of E -> J, and what adds nothing can be left out.
inline constexpr int kViterbiHarmless = ViterbiProfile::kBase - ViterbiProfile::kEndLoop;
/// Longer targets are left to Viterbi multihit.
inline constexpr std::uint64_t kViterbiUnihitLongestTarget = 65535;

struct ViterbiUnihitShape {
    int group_threads;    // G
    int rows_per_thread;  // R: a multiple of 4
    /// Tera cells a second (padding rows included) of an H200: measured, for choosing.
    double tera_cells;
};

/// All shapes there are an instance of.
std::span<const ViterbiUnihitShape> viterbi_unihit_shapes();
/// A model that needs more rows than a group has takes several passes; only shapes of so many
/// threads or more can.
inline constexpr int kViterbiUnihitPassThreads = 8;
/// In shapes of so many threads the warps of a block work on the same pairs, for long targets.
inline constexpr int kViterbiUnihitWideThreads = 32;

/// Targets of a list in classes by residues, longest first: class c has those above
/// kViterbiUnihitLengthLimits[c], and so many units of them follow each other through a warp.
inline constexpr int kViterbiUnihitLengthClasses = 5;
inline constexpr std::uint32_t kViterbiUnihitLengthLimits[kViterbiUnihitLengthClasses] = {4096, 2048, 1024, 512, 0};
inline constexpr std::uint32_t kViterbiUnihitChains[kViterbiUnihitLengthClasses] = {1, 1, 2, 4, 8};
inline constexpr std::uint32_t kViterbiUnihitMostChain = 8;
/// A list of fewer pairs is a short one.
inline constexpr std::uint32_t kViterbiUnihitLongList = 1u << 18;

/// kUndecided of work_list.cuh, for host code.
inline constexpr std::int16_t kViterbiUndecided = INT16_MIN + 1;

/// A profile in one shape, as the kernel finds it. Values are stored ones.
struct ViterbiUnihitModel {
    std::uint32_t profile;  // index into the batch
    std::uint32_t passes;
    std::uint64_t first_entry;   // of its tables, entries of 16 bytes; viterbi_unihit_pass_entries() each pass
    std::uint32_t base;          // xB(0) without move
    std::uint32_t least;         // in both halves
    std::uint32_t first_delete;  // D of what stands before the first row, in both halves
    std::uint32_t harmless;      // kViterbiHarmless as an M, in both halves
    std::uint32_t cap;           // M is cut off here, in both halves
    std::int32_t capped_result;  // what a best M of `cap` means: kViterbiOverflow, or that the kernel cannot tell
    std::int32_t best_offset;    // a result is the best stored M less this
};

/// Words of 16 bits in a score table's letter: threads whose loads meet in one cycle have a place
/// of their own.
constexpr int viterbi_unihit_slots(int group_threads) { return group_threads < 16 ? 16 : group_threads; }
/// Entries of 16 bytes of a pass: scores, [R / 4 loads][letter][slot] of four rows (8 bytes);
/// transitions, [row][thread] of {match to match, match to delete, match to insert, enter of the
/// next row} (16 bytes), then of {delete to delete, insert to insert} (8 bytes); [thread] of the
/// first row's enter (4 bytes).
constexpr std::size_t viterbi_unihit_score_entries(int group_threads, int rows_per_thread) {
    return static_cast<std::size_t>(rows_per_thread / 4 * kResidueTableSize * viterbi_unihit_slots(group_threads) / 2);
}
constexpr std::size_t viterbi_unihit_pass_entries(int group_threads, int rows_per_thread) {
    const auto rows = static_cast<std::size_t>(rows_per_thread * group_threads);
    return viterbi_unihit_score_entries(group_threads, rows_per_thread) + rows + (rows + 1) / 2 +
           (static_cast<std::size_t>(group_threads) + 3) / 4;
}

/// A batch of profiles for any GPU, in host memory. Immutable, shared by threads.
class ViterbiUnihitTables {
   public:
    /// `shape`, one of viterbi_unihit_shapes(), forces it: for tests and tuning.
    explicit ViterbiUnihitTables(std::span<const ViterbiProfile* const> profiles,
                                 const ViterbiUnihitShape* shape = nullptr);

    /// Which lists a range is for (flags), in the first run or in the second
    /// (viterbi_unihit_kernel_gpu.cuh): few pairs do not keep a GPU busy for as long as a narrow
    /// group takes for a long target.
    enum Lists : std::uint32_t {
        kNoLists = 0,
        kShortLists = 1,
        kLongLists = 2,
        kFirstRun = 3,
        kSecondRun = 4,
        kShortAndSecond = 5,
        kAllLists = 7
    };
    /// What one kernel computes: models by shape.
    struct Range {
        std::uint32_t model;  // index into models()
        std::uint32_t length_class;
        Lists lists;
    };
    struct Class {
        ViterbiUnihitShape shape;
        std::uint32_t most_passes;
        std::vector<Range> ranges;
    };

    std::size_t profile_count() const { return fits_.size(); }
    /// Whether the kernel can compute profile p at all, 1 or 0.
    std::span<const std::uint8_t> fits() const { return fits_; }
    std::span<const ViterbiUnihitModel> models() const { return models_; }
    std::span<const Class> classes() const { return classes_; }
    std::span<const std::uint32_t> words() const { return words_; }  // tables of all models

   private:
    /// For all length classes, each for the lists that `lists_of` names.
    void add_model(std::size_t index, const ViterbiProfile& profile, const ViterbiUnihitShape& shape,
                   const struct ViterbiUnihitNumbers& numbers,
                   std::span<const Lists, kViterbiUnihitLengthClasses> lists_of);

    std::vector<std::uint8_t> fits_;
    std::vector<ViterbiUnihitModel> models_;
    std::vector<Class> classes_;
    std::vector<std::uint32_t> words_;
};

/// The shape with the least estimated time for a model of this length.
const ViterbiUnihitShape& plan_viterbi_unihit(int length);
/// The same among shapes of kViterbiUnihitWideThreads.
const ViterbiUnihitShape& plan_viterbi_unihit_wide(int length);
}  // namespace warpseq::cuda
