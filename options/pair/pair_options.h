// The command line of `search pair`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "engines/pair/pair_input.h"
#include "engines/pair/pair_mode.h"
#include "engines/pair/pair_search.h"
#include "kernels/pair/pair_alignment.h"
#include "libcore/base/status.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/nucleotide.h"
#include "options/option_set.h"
#include "options/search/common_options.h"

namespace warpseq {

struct PairOptions {
    DividedOptions run;  // decisive files but for the matrix, which depends on the alphabet
    PairInputSettings input;

    PairMode mode = PairMode::kGlobal;
    FreeEnds free_ends;  // of semi-global alignment, all of them by default
    PairStrand strand = PairStrand::kPlus;
    bool score_only = false;
    std::optional<LocalListSettings> list;  // --all-local

    // Scores, as far as given. What fits depends on the alphabet.
    std::optional<std::string> matrix;
    std::optional<int> match_raw, mismatch_raw, gap_open, gap_extend;

    std::string outfmt = "0";
    std::optional<std::filesystem::path> dotplot_file;
    std::optional<std::filesystem::path> checkpoint_file;
    std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // of the host, for lines of matrices
};

/// Defines the options, with their help.
OptionSet make_pair_options();

/// Reads them back. Wrong usage is a usage error; gap costs, and a match and a mismatch that no
/// alignment can be made by, are invalid input.
Result<PairOptions> read_pair_options(const OptionValues& parsed);

/// A dot plot is SVG. A usage error for a file that is called something else; one without a suffix
/// may be anything.
Status check_dotplot_name(const std::filesystem::path& file);

/// The scores for an alphabet, defaults filled in: protein BLOSUM62 with BLAST's gap costs, 11/1;
/// nucleotides 2/-3 with 5/2. Options that are another alphabet's are usage errors.
Result<ScoringScheme> pair_scoring_scheme(const PairOptions& options, Alphabet alphabet);

}  // namespace warpseq
