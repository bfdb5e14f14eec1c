// Settings of a blastp search, with the names and units of NCBI BLAST's blastp.
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/scoring/scoring.h"
#include "libcore/sequence/seg.h"
#include "libcore/statistics/composition_adjustment.h"

namespace warpseq {

/// Limits of the best-hit filter (hsp_filters.h), each in (0, 0.5).
struct BestHitLimits {
    double overhang = 0.1;    // part of the better HSP's length that a dropped HSP may reach beyond each end
    double score_edge = 0.1;  // part by which the score per residue has to be higher
};

struct BlastpLimits {
    std::uint64_t max_targets = 500;    // per query
    std::uint64_t max_hsps = 0;         // per target; 0: no limit
    double least_coverage_percent = 0;  // of the query, by an HSP
    // Filters of engines/blastp/hsp_filters.h. The first two exclude each other.
    std::uint64_t culling = 0;  // an HSP is dropped if this many others dominate it; 0: no culling
    std::optional<BestHitLimits> best_hits = std::nullopt;
    bool best_of_target = false;
};

struct BlastpSettings {
    ScoringScheme scheme;
    int word_residues = 3;
    double threshold = 11;  // lowest raw score of neighbouring words
    std::uint32_t window_residues = 40;
    double x_drop_ungapped_bits = 7, x_drop_gapped_bits = 15, x_drop_final_bits = 25;
    double evalue = 10;
    std::optional<SegParameters> seg = std::nullopt;
    bool soft_masking = false;
    bool lower_case_masking = false;
    CompositionMode composition = CompositionMode::kConditional;
    bool has_lost_composition = false;  // whether a mode was asked for that the matrix does not allow; reports say so
    bool smith_waterman = false;  // whether final alignments are Smith-Waterman's, not extensions of preliminary ones
    bool ungapped = false;        // alignments without gaps; only with CompositionMode::kNone
    BlastpLimits limits = {};
    std::uint64_t database_sequences = 0, database_residues = 0;  // database size for E-values; 0: what is searched
    bool has_negative_database = false;                           // SearchSpace::is_negative
    /// Whether preliminary cutoffs are computed for the length of the shortest searched sequence,
    /// as with blastp's -subject and -seqidlist. If not, they are computed for a constant length.
    bool cutoffs_by_shortest_target = false;
    std::uint64_t search_space = 0;  // for E-values; 0: computed from lengths
};

}  // namespace warpseq
