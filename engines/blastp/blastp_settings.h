// Settings of a blastp search, in blastp's terms and units.
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/scoring/scoring.h"
#include "libcore/sequence/seg.h"
#include "libcore/statistics/composition_adjustment.h"

namespace warpseq {

/// Limits of the best-hit filter (hsp_filters.h), each in (0, 0.5).
struct BestHitLimits {
    double overhang = 0.1;    // share of an HSP's length that others may reach further at each end and still be dropped
    double score_edge = 0.1;  // share by which a score per residue has to be higher
};

struct BlastpLimits {
    std::uint64_t max_targets = 500;    // per query
    std::uint64_t max_hsps = 0;         // per target; 0: no limit
    double least_coverage_percent = 0;  // of the query, by an HSP
    // Filters of engines/blastp/hsp_filters.h. The first two exclude each other.
    std::uint64_t culling = 0;  // an HSP is dropped once this many others dominate it; 0: none is
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
    bool smith_waterman = false;  // final alignments are the best ones, not extensions of preliminary ones
    bool ungapped = false;        // alignments without gaps; only with CompositionMode::kNone
    BlastpLimits limits = {};
    std::uint64_t database_sequences = 0, database_residues = 0;  // for E-values; 0: those that are searched
    /// Whether the first cutoffs are those of a target as short as the shortest one that is
    /// searched, as in blastp's -subject and -seqidlist. Otherwise they are those of a constant
    /// length.
    bool cutoffs_by_shortest_target = false;
    std::uint64_t search_space = 0;  // for E-values; 0: lengths decide
};

}  // namespace warpseq
