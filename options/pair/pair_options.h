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

/// The settings of a run of `search pair`.
struct PairOptions {
    /// The settings of the run. decisive_files lacks the file of the matrix, since it depends on
    /// the alphabet whether --matrix names a file.
    DividedOptions run;
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
    bool has_header = false;  // whether a table begins with the names of its columns
    std::optional<std::filesystem::path> dotplot_file;
    std::optional<std::filesystem::path> checkpoint_file;
    std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // maximum host memory for row and column checkpoints
};

/// Defines the options, with their help.
OptionSet make_pair_options();

/// Returns the settings that the options state. Wrong values are usage errors, and so are options
/// that exclude each other and a match that does not score more than a mismatch.
Result<PairOptions> read_pair_options(const OptionValues& parsed);

/// Returns the settings of the search.
PairSearchSettings pair_search_settings(const PairOptions& options);

/// Checks the name of a dot plot, which is written as SVG. Another suffix than SVG's is a usage
/// error; a name without a suffix is accepted.
Status check_dotplot_name(const std::filesystem::path& file);

/// Returns the scores for an alphabet, with defaults filled in. Proteins have BLOSUM62, and the gap
/// costs that are BLAST's default for the matrix (open 11, extend 1 for BLOSUM62). Nucleotides have
/// match 2, mismatch -3, open 5 and extend 2. Options of the other alphabet are usage errors.
Result<ScoringScheme> pair_scoring_scheme(const PairOptions& options, Alphabet alphabet);

}  // namespace warpseq
