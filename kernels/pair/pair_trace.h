// Traces the path of an alignment back through one block of the matrix of
// kernels/pair/pair_sweep.h. The block is so small that a byte of directions per cell fits memory.
// Every printed pair alignment comes from this one host code path.
//
// Among equal alignments the choice is fixed, cell by cell, and does not depend on how the matrix
// is cut into blocks.
//  - State H at (i, j) of a local alignment, with H = 0: the alignment begins here.
//  - State H otherwise: if H(i-1, j-1) + s = H, the path takes the diagonal. If not, it goes on at
//    the same cell, in state F if H = F(i, j), else in state E.
//  - State F at (i, j): the path takes a query residue. If F = H(i-1, j) - first, it goes on in
//    state H at (i-1, j), else in state F there.
//  - State E at (i, j): the path takes a target residue. If E = H(i, j-1) - first, it goes on in
//    state H at (i, j-1), else in state E there.
// These are the choices of kernels/smith_waterman/local_alignment.h, which closes a gap before
// extending it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/backend.h"
#include "kernels/pair/pair_sweep.h"
#include "libcore/scoring/alignment.h"

namespace warpseq {

enum class PairTraceState : std::uint8_t { kH, kE, kF };

/// A point of a path. `row` and `column` are the numbers of query and target residues before it,
/// counted from the block's corner.
struct TracePoint {
    std::uint64_t row, column;
    PairTraceState state = PairTraceState::kH;
    bool operator==(const TracePoint&) const = default;
};

/// A block, cut off at the cell at which the path enters it. Sequences, `top` and `left` are as in
/// a SweepTask of m x n cells.
struct TraceTask {
    std::span<const ResidueCode> query, target;
    std::span<const BorderCell> top, left;
    /// Marks of the forbidden pairs of residues (kernels/pair/pair_forbidden.h): m x n values, row
    /// by row, 1 if the pair is forbidden, else 0. Empty if no pair is forbidden.
    std::span<const std::uint8_t> forbidden = {};
};

struct TraceEnd {
    /// The point where the walk ended. Either a local path begins there, or it is in row 0 or
    /// column 0. There the state is H, or that of a gap that continues into the neighbouring block.
    TracePoint at;
    bool begins;  // whether a local path begins there, with H = 0
};

/// A tracer of paths through blocks. Not thread-safe; each thread needs a tracer of its own.
class PairTracer {
   public:
    PairTracer(CpuBackend backend, const PairScoring& scoring);
    ~PairTracer();
    /// Approximate number of rows and columns up to which tracing a block is fast. The caller makes
    /// the blocks of its finest grid this large.
    static constexpr std::uint64_t kBlockSide = 256;
    /// Follows the path back from `from`, which is any point of the block, until it leaves the
    /// block or begins. Appends the operations to `runs` in the order in which they are met, so
    /// that the end of the alignment comes first. An operation that equals that of the last run
    /// makes this run longer. The caller reverses `runs` at the end. The directions of the block
    /// have to fit memory.
    TraceEnd trace(const TraceTask& task, TracePoint from, std::vector<AlignmentRun>& runs);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
