// Tracing the path of an alignment back through one block of the matrix of
// kernels/pair/pair_sweep.h, small enough to keep a direction per cell. The one host code path that
// every printed pair alignment comes from.
//
// Among equal alignments the choice is fixed, cell by cell, and does not depend on how the matrix
// is cut into blocks. In state H at (i, j):
//  - local and H = 0: the alignment begins here;
//  - H(i-1, j-1) + s = H: the diagonal; else H = F(i, j): state F, else state E, at the same cell.
// In state F at (i, j) a query residue is taken: F = H(i-1, j) - first: on in state H at (i-1, j),
// else in state F there. In state E a target residue likewise. (The same as
// kernels/smith_waterman/local_alignment.h: closing a gap before extending it.)
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

/// A point of a path: residues of both sequences before it, counted from the block's own corner,
/// and the state there.
struct TracePoint {
    std::uint64_t row, column;
    PairTraceState state = PairTraceState::kH;
    bool operator==(const TracePoint&) const = default;
};

/// A block up to where the path enters it: m x n as in a SweepTask, without a grid.
struct TraceTask {
    std::span<const ResidueCode> query, target;
    std::span<const BorderCell> top, left;
    /// Which pairs of residues are forbidden (kernels/pair/pair_forbidden.h): m x n, row by row, 1
    /// or 0. Or nothing.
    std::span<const std::uint8_t> forbidden = {};
};

struct TraceEnd {
    /// Row 0 or column 0, in state H or in the gap that goes on beyond the line; or where a local
    /// path begins.
    TracePoint at;
    bool begins;  // local, and H is 0 there
};

/// Walks from `from`, at the block's last row and column or anywhere inside, until the path leaves
/// through row 0 or column 0. Operations are appended in the order in which they are met, the end
/// of the alignment first, to `runs`; a run is joined to the last one there when the operations are
/// the same. (The caller turns the whole round at the end.)
class PairTracer {
   public:
    PairTracer(CpuBackend backend, const PairScoring& scoring);
    ~PairTracer();
    /// Blocks up to about this many rows and columns are traced at once, quickly: the caller's
    /// finest grid.
    static constexpr std::uint64_t kBlockSide = 256;
    /// Any block whose directions fit memory. Not thread-safe: a tracer a thread.
    TraceEnd trace(const TraceTask& task, TracePoint from, std::vector<AlignmentRun>& runs);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
