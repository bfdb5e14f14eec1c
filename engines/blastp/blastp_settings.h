// What a blastp search is asked for, in blastp's terms and units.
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/scoring/composition_adjustment.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/seg.h"

namespace warpseq {

struct BlastpLimits {
    std::uint64_t max_targets = 500;    // per query
    std::uint64_t max_hsps = 0;         // per target; 0: no limit
    double least_coverage_percent = 0;  // of the query, by an HSP
};

struct BlastpSettings {
    ScoringScheme scheme;
    int word_residues = 3;
    double threshold = 11;  // of neighbouring words, raw score
    std::uint32_t window_residues = 40;
    double x_drop_ungapped_bits = 7, x_drop_gapped_bits = 15, x_drop_final_bits = 25;
    double evalue = 10;
    std::optional<SegParameters> seg = std::nullopt;
    bool soft_masking = false;
    bool lower_case_masking = false;
    CompositionMode composition = CompositionMode::kConditional;
    BlastpLimits limits = {};
    std::uint64_t database_residues = 0;  // of E-values; 0: the database's own
    std::uint64_t search_space = 0;       // of E-values; 0: lengths decide
};

}  // namespace warpseq
