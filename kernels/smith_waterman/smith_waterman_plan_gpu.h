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

#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"

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

/// Returns the number of 32-bit words in the profile of one pass. A load takes 16 bytes, which are
/// four words. There is a load for each of 32 letters, each 4 rows (kTwoQueries) or 8 rows
/// (kTwoTargets) of a thread, and each of max(8, G) threads.
std::size_t profile_words(const KernelShape& shape);

/// Writes the profile of a pass in the layout that smith_waterman_kernel_gpu.cuh reads. A word
/// holds two scores, 16 bits each, as half-precision bit patterns in sign and magnitude. `out` has
/// profile_words() entries.
void fill_profile(const SmithWatermanPlan& plan, std::size_t pass,
                  std::span<const std::span<const ResidueCode>> queries, const SubstitutionMatrix& matrix,
                  std::span<std::uint32_t> out);

}  // namespace warpseq::cuda
