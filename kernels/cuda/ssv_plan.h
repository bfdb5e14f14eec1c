// How the nodes of a batch of profiles are laid out for the GPU's SSV kernel: which model rows each thread of a group computes in
// each pass. Host code only, so that it is tested without a GPU.
//
// The kernel computes two rows in one 32-bit register, a low and a high half, of the same target: both halves meet the same residue,
// so one load serves both. Nothing runs down a column of an ungapped matrix, so any two rows can share a register. Profiles are cut into
// segments of R rows and strung into one stream; a pass takes the next 2 G segments of it: first the low halves of threads 0..G-1, then
// the high halves. A profile that does not end in a pass goes on in the next one from the border that the last thread has left behind:
//
//     low halves   | A0 A1 A2 B0 |   next pass: | D1 D2 E0 E1 |       G = 4 threads
//     high halves  | B1 C0 C1 D0 |              | E2 F0 .. .. |
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/plan7_profile.h"

namespace warpseq::cuda {

struct SsvShape {
    int group_threads;    // G: 2, 4 or 8
    int rows_per_thread;  // R: a multiple of 16
    /// Milliseconds that an H200 takes for a pass over 200 million residues: measured, for choosing.
    double pass_milliseconds;
};

inline constexpr int kMostSsvThreads = 8;

struct SsvSegment {
    std::int32_t profile = -1;    // index into the batch; -1: nothing, padding
    std::uint32_t first_row = 0;  // of the profile: its node - 1
    bool continues = false;       // the segment before it (in this pass, or the last of the pass before) is the same profile's
};

struct SsvPass {
    SsvSegment segments[2 * kMostSsvThreads];  // [half * G + thread]
};

struct SsvPlan {
    SsvShape shape;
    std::vector<SsvPass> passes;
};

/// All shapes there are an instance of.
std::span<const SsvShape> ssv_shapes();

/// The plan with the least estimated time for profiles of these lengths.
SsvPlan plan_ssv(std::span<const int> lengths);
SsvPlan plan_ssv_with_shape(std::span<const int> lengths, const SsvShape& shape);

/// Words of 32 bits in the profile of one pass. Of every 16 rows of a thread kSsvWideRows are stored as pairs of half-precision bit
/// patterns, four pairs a load of 16 bytes, the others as pairs of bytes with 128 added, eight a load: half-precision ones need no
/// unpacking, bytes need half the shared memory's bandwidth, and both are scarce.
inline constexpr int kSsvWideRows = 8;
inline constexpr int kSsvLoadsPer16Rows = kSsvWideRows / 4 + (16 - kSsvWideRows) / 8;
inline constexpr int kSsvByteBias = 128;
constexpr std::size_t ssv_profile_words(const SsvShape& shape) {
    const int slots = shape.group_threads < 8 ? 8 : shape.group_threads;
    return static_cast<std::size_t>(kResidueTableSize * (shape.rows_per_thread / 16) * kSsvLoadsPer16Rows * slots * 4);
}

/// Writes a pass's profile as ssv_kernel.cuh reads it. `out` has ssv_profile_words() entries.
void fill_ssv_profile(const SsvPlan& plan, std::size_t pass, std::span<const MsvProfile* const> profiles,
                      std::span<std::uint32_t> out);

/// A batch's plan and the profiles of all its passes. Immutable.
class SsvTables {
   public:
    /// `shape`, one of ssv_shapes(), forces the plan.
    explicit SsvTables(std::span<const MsvProfile* const> profiles, const SsvShape* shape = nullptr);
    const SsvPlan& plan() const { return plan_; }
    std::span<const std::uint32_t> profiles() const { return profiles_; }  // ssv_profile_words() for each pass

   private:
    SsvPlan plan_;
    std::vector<std::uint32_t> profiles_;
};

}  // namespace warpseq::cuda
