// The layout of a batch of profiles for the GPU's SSV kernel: which model rows (nodes) each thread
// of a group computes in each pass. This is host code only, so that it is tested without a GPU.
//
// The kernel computes two rows of the same target in one 32-bit register, a low and a high half.
// Both halves meet the same residue, so one load serves both. Nothing runs down a column of an
// ungapped matrix, so any two rows can share a register. Profiles are cut into segments of R rows
// and strung into one stream. A pass takes the next 2 G segments of it: first the low halves of
// threads 0..G-1, then the high halves. A profile that does not end in a pass continues in the next
// one, from the border that the last thread wrote:
//
//     low halves   | A0 A1 A2 B0 |   next pass: | D1 D2 E0 E1 |       G = 4 threads
//     high halves  | B1 C0 C1 D0 |              | E2 F0 .. .. |
//
// A border has an entry for each residue, independent of the shape. So passes may differ in shape.
//
// Targets are cut into pieces, so that a long one does not outlast all others. A diagonal that
// crosses the rows of a pass began in the pass at most 2 G R columns before. So a piece that begins
// that many columns early has every cell of its own right. Its early cells are at most their true
// values, and belong to the piece before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/gpu/host_device.h"
#include "kernels/profile/msv_filter.h"
#include "libcore/profile/plan7_profile.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq::cuda {

struct SsvShape {
    int group_threads;    // G: 2 or 4
    int rows_per_thread;  // R: a multiple of 4
    /// Milliseconds that an H200 takes for a pass over 200 million residues. They were measured and
    /// serve to choose a shape.
    double pass_milliseconds;

    constexpr int rows() const { return 2 * group_threads * rows_per_thread; }
};

inline constexpr int kMostSsvThreads = 4;

struct SsvSegment {
    std::int32_t profile = -1;    // index into the batch; -1: padding
    std::uint32_t first_row = 0;  // of the profile; row r is node r + 1
    /// Whether the segment before it, in this pass or at the end of the pass before, is of the same
    /// profile.
    bool continues = false;
};

struct SsvPass {
    SsvShape shape;
    SsvSegment segments[2 * kMostSsvThreads];  // [half * G + thread]
};

struct SsvPlan {
    std::vector<SsvPass> passes;
};

/// Returns the shapes of all kernel instances.
std::span<const SsvShape> ssv_shapes();

/// Returns the plan with the least estimated time for profiles of these lengths. All passes have
/// the same shape, except that the last one has a smaller shape if that suffices.
SsvPlan plan_ssv(std::span<const int> lengths);
SsvPlan plan_ssv_with_shape(std::span<const int> lengths, const SsvShape& shape);

/// Greatest SSV result, counted from begin. Higher scores are reported as this value.
inline constexpr std::uint32_t kHighestSsv = kMsvCeiling;
/// Least score of a row. It is as bad as any lower score, because it resets every value up to
/// begin.
inline constexpr int kSsvLowestScore = -127;
/// The number that is added to a score to store it as a byte.
inline constexpr int kSsvByteBias = 128;

/// The layout of the profile of a pass with R rows a thread. Host and device share it.
///
/// The rows of a thread are cut into blocks, and the last one may be smaller. The first kWideRows
/// rows of a block are stored as pairs of half-precision bit patterns, four pairs per load of 16
/// bytes. The others are pairs of bytes with kSsvByteBias added, eight pairs per load. A pair has
/// the scores of the low and the high half. Half-precision patterns need no instructions for
/// unpacking, and bytes need half the bandwidth of shared memory. Both resources are scarce.
///
///     [letter][load][slot]      loads of 16 bytes
///
///     loads of a block:  | wide rows 0..3 | wide rows 4..7 | rows 8..15 |
struct SsvLayout {
    /// Rows of a block, and those of them that are wide.
    static constexpr int kBlockRows = 16, kWideRows = 8;
    static constexpr int kWideLoadRows = 4, kNarrowLoadRows = 8;
    static constexpr int kWideLoads = kWideRows / kWideLoadRows;  // of a whole block
    static constexpr int kBlockLoads = kWideLoads + (kBlockRows - kWideRows) / kNarrowLoadRows;
    /// Number of threads with loads of their own. With it a quarter of a warp, which reads at a
    /// time, uses each bank of shared memory once.
    static constexpr int kSlots = 8;

    int rows;  // R

    /// Returns the number of loads of a thread for a letter.
    WARPSEQ_HOST_DEVICE constexpr int loads() const {
        return rows / kBlockRows * kBlockLoads + rows % kBlockRows / kWideLoadRows;
    }
    WARPSEQ_HOST_DEVICE constexpr int letter_loads() const { return loads() * kSlots; }
    WARPSEQ_HOST_DEVICE constexpr int profile_loads() const { return kResidueTableSize * letter_loads(); }
    /// Returns the number of 32-bit words in the profile of one pass.
    constexpr std::size_t profile_words() const { return static_cast<std::size_t>(profile_loads()) * 4; }
};

/// Writes a pass's profile in the layout that ssv_kernel_gpu.cuh reads. `out` has
/// SsvLayout::profile_words() entries.
void fill_ssv_profile(const SsvPass& pass, std::span<const MsvProfile* const> profiles, std::span<std::uint32_t> out);

/// The plan of a batch, and the profiles of all its passes. Immutable.
class SsvTables {
   public:
    /// Makes the tables. `shape`, one of ssv_shapes(), forces the plan.
    explicit SsvTables(std::span<const MsvProfile* const> profiles, const SsvShape* shape = nullptr);
    const SsvPlan& plan() const { return plan_; }
    /// Returns the profiles of all passes, one after another, with SsvLayout::profile_words() words
    /// each.
    std::span<const std::uint32_t> profiles() const { return profiles_; }

   private:
    SsvPlan plan_;
    std::vector<std::uint32_t> profiles_;
};

}  // namespace warpseq::cuda
