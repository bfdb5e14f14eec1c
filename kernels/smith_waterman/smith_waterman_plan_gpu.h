// The layout of a batch of queries for the GPU's Smith-Waterman kernel: which query rows each
// thread of a group computes in each pass. This is host code only, so that it is tested without a
// GPU.
//
// The kernel computes two cells in one 32-bit register, a low and a high half. With kTwoQueries the
// halves hold two queries against one target. Both halves meet the same target letter, so one load
// serves both. With kTwoTargets they hold one query against two targets, for a query that is alone.
//
// A group of G threads computes G segments of R rows in one pass over the target, with thread t
// computing the rows of segment t. The queries are cut into segments of R rows, and the segments
// are strung into one stream per half (one stream in all for kTwoTargets). A pass takes the next G
// segments of each stream. A query that does not end in a pass continues at thread 0 of the next
// pass, from the border row that the last thread wrote. So only the last segment of a query is
// padded, not its last pass.
//
//     low stream    | A0 A1 A2 B0 B1 B2 B3 B4 | B5 C0 C1 ...        G = 8 segments a pass
//     high stream   | D0 D1 D2 D3 D4 D5 D6 D7 | D8 D9 E0 ...
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/gpu/host_device.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"
#include "libcore/sequence/tile.h"

namespace warpseq::cuda {

enum class Pairing { kTwoQueries, kTwoTargets };

/// The shape of a kernel instance, for which a plan is made.
struct KernelShape {
    Pairing pairing;
    int group_threads;    // G: 1, 2, 4 or 8
    int rows_per_thread;  // R: a multiple of 8
    /// Speed in 1e12 cells per second, with the cells of both halves counted. It was measured on an
    /// H200 without padding rows, and serves to choose a shape.
    double tera_cells;
};

inline constexpr int kMostGroupThreads = 8;
/// Threads of a block of every instance.
inline constexpr int kSmithWatermanBlockThreads = 128;
/// Columns (target residues) that a thread computes in a step. It is also the number of chains of F
/// that are in flight.
inline constexpr int kSmithWatermanColumns = 3;
/// Columns of a word of a tile.
inline constexpr int kSmithWatermanWordColumns = static_cast<int>(kResiduesPerWord);
static_assert(kSmithWatermanWordColumns % kSmithWatermanColumns == 0);

/// The layout of an instance, which host and device share: the shared memory of a block, the border
/// rows, and the sizes of a warp's work.
///
/// Shared memory holds the profile of a pass in entries of 16 bytes, and behind it the staged
/// border rows in entries of 8 bytes (H and F of a column):
///
///     profile   [letter][load][slot]          scores of four rows of both queries (kTwoQueries)
///                                             or of eight rows of one query (kTwoTargets)
///     staging   [warp][half][group][column]   columns of two words for each group
///
/// Border rows in device memory have an entry of 8 bytes for each column of each target, or of each
/// pair of targets. Those of a column are side by side, `border_pitch` of them.
struct SmithWatermanLayout {
    int targets;        // of a thread
    int groups;         // of a warp
    int unit_targets;   // targets of a unit, which a warp computes together
    int rows_per_load;  // rows whose scores a load of 16 bytes holds
    int slots;          // threads with a place of their own in a line of 128 bytes
    int letter_stride;  // profile entries of a letter
    int profile_entries;
    int least_words;   // of a unit, padding included; with it at most two units are in a group at a time
    int border_pitch;  // border entries of a column
    int staging_entries;

    /// Makes the layout for G = `group_threads` and R = `rows_per_thread`. Only border_pitch
    /// depends on whether tiles are linear.
    WARPSEQ_HOST_DEVICE constexpr SmithWatermanLayout(Pairing pairing, int group_threads, int rows_per_thread,
                                                      bool linear)
        : targets(pairing == Pairing::kTwoQueries ? 1 : 2),
          groups(32 / group_threads),
          unit_targets(targets * groups),
          rows_per_load(pairing == Pairing::kTwoQueries ? 4 : 8),
          slots(group_threads < kMostGroupThreads ? kMostGroupThreads : group_threads),
          letter_stride(slots * (rows_per_thread / rows_per_load)),
          profile_entries(kResidueTableSize * letter_stride),
          least_words(
              (group_threads * kSmithWatermanColumns + kSmithWatermanWordColumns - 1) / kSmithWatermanWordColumns + 1),
          border_pitch(linear ? groups : static_cast<int>(kTileLanes) / targets),
          staging_entries(kSmithWatermanBlockThreads / group_threads * 2 * kSmithWatermanWordColumns) {}
    constexpr SmithWatermanLayout(const KernelShape& shape, bool linear = false)
        : SmithWatermanLayout(shape.pairing, shape.group_threads, shape.rows_per_thread, linear) {}

    /// Returns the 32-bit words of the profile of a pass.
    constexpr std::size_t profile_words() const { return static_cast<std::size_t>(profile_entries) * 4; }
    /// Returns the bytes of a block's dynamic shared memory.
    constexpr std::size_t shared_bytes(bool has_borders) const {
        return static_cast<std::size_t>(profile_entries) * 16 +
               (has_borders ? static_cast<std::size_t>(staging_entries) * 8 : 0);
    }
};

struct Segment {
    std::int32_t query = -1;      // index into the batch; -1: padding
    std::uint32_t first_row = 0;  // of the query
    bool continues = false;       // the segment before it (here or last in the pass before) is of the same query
    bool reports = false;         // this is the query's last segment in this pass: its thread raises the score
};

struct Pass {
    Segment segments[2][kMostGroupThreads];  // [half][thread]; kTwoTargets uses half 0
};

struct SmithWatermanPlan {
    KernelShape shape;
    std::vector<Pass> passes;
    /// Whether there is more than one pass, so that border rows are kept in device memory.
    bool has_borders() const { return passes.size() > 1; }
};

/// Returns a plan for queries of these lengths, with the shape that takes the least time. Queries
/// without residues take no segment.
SmithWatermanPlan plan_smith_waterman(std::span<const std::uint64_t> query_residues);

/// Returns the plan for one shape, for tests and for tuning.
SmithWatermanPlan plan_with_shape(std::span<const std::uint64_t> query_residues, const KernelShape& shape);

/// Returns the shapes of all kernel instances.
std::span<const KernelShape> kernel_shapes();

/// Writes the profile of a pass in the layout that smith_waterman_kernel_gpu.cuh reads. A word
/// holds two scores, 16 bits each, as half-precision bit patterns in sign and magnitude. `out` has
/// SmithWatermanLayout::profile_words() entries.
void fill_profile(const SmithWatermanPlan& plan, std::size_t pass,
                  std::span<const std::span<const ResidueCode>> queries, const SubstitutionMatrix& matrix,
                  std::span<std::uint32_t> out);

}  // namespace warpseq::cuda
