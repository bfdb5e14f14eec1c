// Gapped extension with an X-drop, from a pair of residues outward. This is how BLAST turns a seed
// into an alignment.
//
// From the pair (query residue q, target residue t) the alignment is extended to the left, the pair
// included, and to the right, the pair excluded. The score is the sum of both. One extension fills
// a matrix row by row. Rows are query residues, and the recurrence is Gotoh's without the clamp at
// 0, as in kernels/smith_waterman/smith_waterman.h. The extension drops each cell that scores more
// than `x_drop_raw` below the best so far (Altschul and others 1997, Nucleic Acids Res 25:3389;
// Zhang, Berman and Miller 1998 for the band that follows). An X-drop below the cost of a gap's
// first residue is raised to it. The end is the first cell, row by row, of the highest score.
//
// There are three forms, with scores and ends exactly as in NCBI BLAST 2.12.
//  - The score form finds the score and the ends, but no path.
//  - The restricted score form lets gaps begin only in every tenth row or column. It is a cheaper
//    estimate for weak seeds. The estimate may exceed the true score by the cost of opening a gap.
//    The reason is that cells beyond a row's band are reached from the last cell of the band at the
//    cost of extending a gap alone.
//  - The path form finds the score and the path. Among equal predecessors of a cell it prefers the
//    diagonal, then the gap in the target, then the gap in the query. Inside a gap it prefers
//    extending over closing.
//
// An alignment may have any length. In targets of 90,000 residues and more it stays within a window
// around the seed. The window reaches 3,000 residues further to each side than the query does.
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

template <class Score>
struct ExtensionRowTask;

/// The score and the ends of an extension in both directions. Positions count residues from 0, and
/// ends are exclusive. There is one exception. If the seed is on the last residue of either
/// sequence, the score forms end at the seed itself, as BLAST's do.
struct GappedExtent {
    std::int32_t score_raw = 0;
    std::uint64_t query_begin = 0, query_end = 0;
    std::uint64_t target_begin = 0, target_end = 0;
};

/// An object that computes gapped extensions. It is not thread-safe, because it owns scratch
/// memory, which grows as needed.
class GappedExtender {
   public:
    /// Makes an extender on a back end, which has to be runnable.
    explicit GappedExtender(CpuBackend backend);

    enum class Form { kScore, kRestrictedScore };

    /// Extends from the pair of query[seed_query] and target[seed_target], which have to exist.
    /// Returns the score, in the units of `scores`, and the ends.
    GappedExtent extend(const PairScores& scores, std::span<const ResidueCode> query,
                        std::span<const ResidueCode> target, std::uint64_t seed_query, std::uint64_t seed_target,
                        int x_drop_raw, Form form);

    /// Extends in the same way and returns the alignment with its path. The path begins and ends
    /// with a pair of residues, unless it is empty.
    Alignment align(const PairScores& scores, std::span<const ResidueCode> query, std::span<const ResidueCode> target,
                    std::uint64_t seed_query, std::uint64_t seed_target, int x_drop_raw);

    /// Whether the rows of the last extension were computed in 16 bits. It changes no result.
    bool had_16_bits() const { return fits_16_bits_; }

    /// A stop token, checked between rows. Once a stop is requested, both functions return soon
    /// with a meaningless result.
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

    void begin(const PairScores& scores, int x_drop);
    End extend_outward(const Outward& side, int x_drop, bool restricted, bool want_path);
    template <class Score>
    End extend_rows(const Outward& side, int x_drop, bool restricted, bool want_path);
    void run_row(ExtensionRowTask<std::int32_t>& row) const { extend_row_32_bit_(row); }
    void run_row(ExtensionRowTask<std::int16_t>& row) const { extend_row_16_bit_(row); }
    std::vector<AlignmentRun> trace_to_corner(const End& end) const;

    void (*extend_row_32_bit_)(ExtensionRowTask<std::int32_t>&);
    void (*extend_row_16_bit_)(ExtensionRowTask<std::int16_t>&) = nullptr;
    void (*fill_scores_)(const std::int16_t*, std::int16_t*) = nullptr;
    std::size_t vector_bytes_ = AlignedBytes::kAlignmentBytes;  // of extend_row_32_bit_ and extend_row_16_bit_
    bool fits_16_bits_ = false;                                 // whether rows since begin() have 16 bits
    AlignedBytes tables_;
    const std::int16_t* scores_16_bit_ = nullptr;  // a row for each residue code in tables_, as fill_scores_ makes it
    AlignedBytes h_[2], gap_, letters_;            // by column
    std::vector<std::uint8_t> steps_;              // of all rows
    std::vector<PathRow> path_rows_;
};

}  // namespace warpseq
