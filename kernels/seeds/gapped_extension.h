// Gapped extension with an X-drop, from a pair of residues outward. This is how BLAST turns a seed
// into an alignment.
//
// From the pair (query residue q, target residue t) the alignment is extended to the left, the pair
// included, and to the right, the pair excluded. The score is the sum of both. One extension fills
// a matrix row by row. Rows are query residues, and the recurrence is Gotoh's without the clamp at
// 0, as in kernels/smith_waterman/smith_waterman.h. The extension gives up each cell that scores
// more than `x_drop_raw` below the best so far (Altschul and others 1997, Nucleic Acids Res
// 25:3389; Zhang, Berman and Miller 1998 for the band that follows). An X-drop below the cost of a
// gap's first residue is raised to it. The end is the first cell, row by row, of the highest score.
//
// There are three forms, with scores and ends exactly as in NCBI BLAST 2.12.
//  - The score form finds the score and the end alone.
//  - The restricted score form lets gaps begin only in every tenth row or column. It is a cheaper
//    estimate for weak seeds. It may be above the true score by what opening a gap costs, since
//    cells beyond a row's band are reached from the band's last one at the price of extending
//    alone.
//  - The path form finds the score with the path. Among equal predecessors of a cell the diagonal
//    is taken, then the gap in the target, then the gap in the query. Inside a gap extending is
//    preferred over closing.
//
// An alignment may be of any length. In targets of 90,000 residues and more it stays within the
// query's length and 3,000 residues around the seed.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "kernels/backend.h"
#include "kernels/simd/aligned_bytes.h"
#include "libcore/scoring/alignment.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

struct ExtensionRowTask;

/// The score and the ends of an extension in both directions. Positions count residues from 0, and
/// ends are exclusive. There is one exception: where a seed stands on the last residue of either
/// sequence, BLAST's score forms end at the seed itself, and so do these.
struct GappedExtent {
    std::int32_t score_raw = 0;
    std::uint64_t query_begin = 0, query_end = 0;
    std::uint64_t target_begin = 0, target_end = 0;
};

/// Computes gapped extensions. Not thread-safe, because it owns scratch memory, which grows as
/// needed.
class GappedExtender {
   public:
    /// Makes an extender on a back end, which has to be runnable.
    explicit GappedExtender(CpuBackend backend);

    enum class Form { kScore, kRestrictedScore };

    /// Extends from query[seed_query] and target[seed_target], both of which exist.
    GappedExtent extend(const PairScores& scores, std::span<const ResidueCode> query,
                        std::span<const ResidueCode> target, std::uint64_t seed_query, std::uint64_t seed_target,
                        int x_drop_raw, Form form);

    /// Extends in the same way and returns the path. Its begin and end are always pairs of
    /// residues, unless it is empty.
    Alignment align(const PairScores& scores, std::span<const ResidueCode> query, std::span<const ResidueCode> target,
                    std::uint64_t seed_query, std::uint64_t seed_target, int x_drop_raw);

    /// Looked at between rows. Once it is requested both functions return soon, and what they
    /// return means nothing.
    std::stop_token stop;

   private:
    struct End {
        std::int32_t score_raw = 0;
        std::int64_t rows = 0, columns = 0;
    };
    struct PathRow {
        std::size_t first_cell;  // in steps_
        std::int64_t first_column;
    };
    struct Outward;

    End extend_outward(const Outward& side, int x_drop, bool restricted, bool want_path);
    std::vector<AlignmentRun> trace_to_corner(const End& end) const;

    void (*extend_row_)(ExtensionRowTask&);
    AlignedBytes h_[2], gap_, letters_;  // by column
    std::vector<std::uint8_t> steps_;    // of all rows
    std::vector<PathRow> path_rows_;
};

}  // namespace warpseq
