// The options of `search blastp`, named and meant as NCBI blastp's, with two dashes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/search/blastp/blastp_search.h"
#include "apps/search/common_options.h"
#include "libcore/base/status.h"
#include "libcore/scoring/composition_adjustment.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/seg.h"

namespace cxxopts {
class Options;
class ParseResult;
}  // namespace cxxopts

namespace warpseq {

struct BlastpOptions {
    CommonOptions common;
    ScoringScheme scheme;
    int word_residues = 3;
    double threshold = 11;
    std::uint32_t window_residues = 40;
    double x_drop_ungapped_bits = 7, x_drop_gapped_bits = 15, x_drop_final_bits = 25;
    double evalue = 10;
    std::optional<SegParameters> seg = std::nullopt;
    bool soft_masking = false;
    bool lower_case_masking = false;
    CompositionMode composition = CompositionMode::kConditional;
    BlastpLimits limits = {};
    std::uint64_t database_residues = 0;  // --dbsize; 0: the database's own
    std::uint64_t search_space = 0;       // --searchsp; 0: lengths decide
    std::string outfmt = "0";
    // Of format 0: lines of the table of hits, sequences with alignments, and columns of an alignment in a line.
    std::uint64_t descriptions = 500, alignments = 250, line_length = 60;
    std::vector<std::string> warnings = {};  // of options without effect and the like
};

cxxopts::Options make_blastp_options();
/// Wrong values are usage errors; gap costs without statistics, and what blastp refuses besides, invalid input.
Result<BlastpOptions> read_blastp_options(const cxxopts::ParseResult& parsed);

}  // namespace warpseq
