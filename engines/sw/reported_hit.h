// A hit of the Smith-Waterman engine, with all that reports show of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engines/hit_list.h"
#include "libcore/scoring/alignment.h"
#include "libcore/sequence/alphabet.h"
#include "libcore/statistics/composition_adjustment.h"

namespace warpseq {

struct ReportedHit {
    Hit hit;
    std::string target_header;
    std::uint64_t target_residues = 0;
    std::optional<CompositionAdjuster::Rule> rule;  // how scores were adjusted to compositions
    Alignment alignment;                            // empty unless alignments are needed
    std::vector<ResidueCode> aligned_target;        // residues target_begin .. target_end - 1 of the alignment
};

/// The parts of a ReportedHit that the caller needs. Other parts are not computed.
struct ReportNeeds {
    bool headers = true;
    bool alignments = true;
};

}  // namespace warpseq
