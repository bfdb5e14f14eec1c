// How the nodes of a batch of profiles are laid out for the GPU's SSV kernel: which model rows each
// thread of a group computes in each pass. Host code only, so that it is tested without a GPU.
//
// The kernel computes two rows in one 32-bit register, a low and a high half, of the same target:
// both halves meet the same residue, so one load serves both. Nothing runs down a column of an
// ungapped matrix, so any two rows can share a register. Profiles are cut into segments of R rows
// and strung into one stream; a pass takes the next 2 G segments of it: first the low halves of
// threads 0..G-1, then the high halves. A profile that does not end in a pass goes on in the next
// one from the border that the last thread has left behind:
//
//     low halves   | A0 A1 A2 B0 |   next pass: | D1 D2 E0 E1 |       G = 4 threads
//     high halves  | B1 C0 C1 D0 |              | E2 F0 .. .. |
//
// Borders are kept for residues, so that passes may differ in shape.
//
// Targets are cut into pieces, so that a long one does not outlast all others: a diagonal that
// crosses the rows of a pass began in the pass at most 2 G R columns before, so a piece that begins
// as many columns early has every cell of its own right. Its early cells are at most what they
// should be, and belong to the piece before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/gpu/host_device.h"
#include "libcore/profile/plan7_profile.h"

namespace warpseq::cuda {

struct SsvShape {
    int group_threads;    // G: 2 or 4
    int rows_per_thread;  // R: a multiple of 4
    /// Milliseconds that an H200 takes for a pass over 200 million residues: measured, for
    /// choosing.
    double pass_milliseconds;

    constexpr int rows() const { return 2 * group_threads * rows_per_thread; }
};

inline constexpr int kMostSsvThreads = 4;

struct SsvSegment {
    std::int32_t profile = -1;    // index into the batch; -1: nothing, padding
    std::uint32_t first_row = 0;  // of the profile: its node - 1
    /// The segment before it (in this pass, or the last of the pass before) is the same profile's.
    bool continues = false;
};

struct SsvPass {
    SsvShape shape;
    SsvSegment segments[2 * kMostSsvThreads];  // [half * G + thread]
};

struct SsvPlan {
    std::vector<SsvPass> passes;
};

/// All shapes there are an instance of.
std::span<const SsvShape> ssv_shapes();

/// The plan with the least estimated time for profiles of these lengths: passes of one shape, the
/// last one of a smaller shape where that is enough.
SsvPlan plan_ssv(std::span<const int> lengths);
SsvPlan plan_ssv_with_shape(std::span<const int> lengths, const SsvShape& shape);

/// Rows of a thread in blocks of 16, the last one perhaps smaller. The first eight rows of a block
/// are stored as pairs of half-precision bit patterns, four pairs a load of 16 bytes, the others as
/// pairs of bytes with 128 added, eight a load: half-precision ones need no unpacking, bytes need
/// half the shared memory's bandwidth, and both are scarce.
inline constexpr int kSsvBlockRows = 16;
inline constexpr int kSsvWideRows = 8;
inline constexpr int kSsvLoadsPerBlock = kSsvWideRows / 4 + (kSsvBlockRows - kSsvWideRows) / 8;
inline constexpr int kSsvByteBias = 128;
WARPSEQ_HOST_DEVICE constexpr int ssv_loads(int rows_per_thread) {
    return rows_per_thread / kSsvBlockRows * kSsvLoadsPerBlock + rows_per_thread % kSsvBlockRows / 4;
}
/// Threads that share no entry, so that what a quarter of a warp reads at once takes each bank of
/// shared memory once.
inline constexpr int kSsvSlots = 8;
/// Words of 32 bits in the profile of one pass.
constexpr std::size_t ssv_profile_words(const SsvShape& shape) {
    return static_cast<std::size_t>(kResidueTableSize * ssv_loads(shape.rows_per_thread) * kSsvSlots * 4);
}

/// Writes a pass's profile as ssv_kernel_gpu.cuh reads it. `out` has ssv_profile_words() entries.
void fill_ssv_profile(const SsvPass& pass, std::span<const MsvProfile* const> profiles, std::span<std::uint32_t> out);

/// A batch's plan and the profiles of all its passes. Immutable.
class SsvTables {
   public:
    /// `shape`, one of ssv_shapes(), forces the plan.
    explicit SsvTables(std::span<const MsvProfile* const> profiles, const SsvShape* shape = nullptr);
    const SsvPlan& plan() const { return plan_; }
    /// Of all passes, one after another, ssv_profile_words() for each.
    std::span<const std::uint32_t> profiles() const { return profiles_; }

   private:
    SsvPlan plan_;
    std::vector<std::uint32_t> profiles_;
};

}  // namespace warpseq::cuda
