// Traces the path of an alignment back through one block of the matrix of
// kernels/pair/pair_sweep.h. The block is small enough to keep a direction per cell. Every printed
// pair alignment comes from this one host code path.
//
// Among equal alignments the choice is fixed, cell by cell, and does not depend on how the matrix
// is cut into blocks.
//  - State H at (i, j), local and H = 0: the alignment begins here.
//  - State H otherwise: if H(i-1, j-1) + s = H, the path takes the diagonal. If not, it goes on at
//    the same cell, in state F if H = F(i, j), else in state E.
//  - State F at (i, j): a query residue is taken. If F = H(i-1, j) - first, the path goes on in
//    state H at (i-1, j), else in state F there.
//  - State E: a target residue is taken likewise.
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

/// A point of a path. It counts the residues of both sequences before it, from the block's own
/// corner, and has the state there.
struct TracePoint {
    std::uint64_t row, column;
    PairTraceState state = PairTraceState::kH;
    bool operator==(const TracePoint&) const = default;
};

/// A block up to where the path enters it. It is m x n as in a SweepTask, without a grid.
struct TraceTask {
    std::span<const ResidueCode> query, target;
    std::span<const BorderCell> top, left;
    /// Marks of the forbidden pairs of residues (kernels/pair/pair_forbidden.h), m x n, row by row,
    /// 1 or 0. Empty if there are none.
    std::span<const std::uint8_t> forbidden = {};
};

struct TraceEnd {
    /// The point where the walk ended. It is in row 0 or column 0, in state H or in the gap that
    /// goes on beyond the line, or where a local path begins.
    TracePoint at;
    bool begins;  // whether a local path begins there, with H = 0
};

/// Traces paths through blocks. A walk goes from `from`, at the block's last row and column or
/// anywhere inside, until the path leaves through row 0 or column 0. Operations are appended to
/// `runs` in the order in which they are met, the end of the alignment first. A run is joined to
/// the last one there when the operations are the same. The caller reverses the whole at the end.
class PairTracer {
   public:
    PairTracer(CpuBackend backend, const PairScoring& scoring);
    ~PairTracer();
    /// Most rows and columns, about, of a block that is traced at once and quickly. The caller's
    /// finest grid has such blocks.
    static constexpr std::uint64_t kBlockSide = 256;
    /// Traces any block whose directions fit memory. Not thread-safe; each thread needs a tracer of
    /// its own.
    TraceEnd trace(const TraceTask& task, TracePoint from, std::vector<AlignmentRun>& runs);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
