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
    DividedOptions run;  // decisive files without the matrix, which depends on the alphabet
    PairInputSettings input;

    PairMode mode = PairMode::kGlobal;
    FreeEnds free_ends;  // for semi-global alignment; by default all ends are free
    PairStrand strand = PairStrand::kPlus;
    bool score_only = false;
    std::optional<LocalListSettings> list;  // --all-local

    // The scores that were given. The defaults depend on the alphabet.
    std::optional<std::string> matrix;
    std::optional<int> match_raw, mismatch_raw, gap_open, gap_extend;

    std::string outfmt = "0";
    std::optional<std::filesystem::path> dotplot_file;
    std::optional<std::filesystem::path> checkpoint_file;
    std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // most memory of the host for lines of matrices
};

/// Defines the options, with their help.
OptionSet make_pair_options();

/// Reads the options back. Wrong usage is a usage error. Gap costs that allow no alignment, and a
/// match and a mismatch score that allow none, are invalid input.
Result<PairOptions> read_pair_options(const OptionValues& parsed);

/// Checks the name of a dot plot, which is written as SVG. Another suffix than SVG's is a usage
/// error; a name without a suffix is accepted.
Status check_dotplot_name(const std::filesystem::path& file);

/// Returns the scores for an alphabet, with defaults filled in. Proteins have BLOSUM62 with BLAST's
/// gap costs 11/1; nucleotides have 2/-3 with 5/2. Options of the other alphabet are usage errors.
Result<ScoringScheme> pair_scoring_scheme(const PairOptions& options, Alphabet alphabet);

}  // namespace warpseq
