// The command line of `search hmmbuild`. It has hmmbuild's options under their names, and the
// options that every command has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engines/hmm/calibration.h"
#include "formats/alignments/alignment_format.h"
#include "formats/io/run_files.h"
#include "libcore/base/status.h"
#include "libcore/profile/profile_builder.h"
#include "libcore/profile/sequence_profile.h"
#include "libcore/scoring/scoring.h"
#include "options/option_set.h"
#include "options/search/common_options.h"
#include "reports/hmmer/hmm_run.h"

namespace warpseq {

/// The settings of a run of `search hmmbuild`.
struct HmmbuildOptions {
    RunOptions run;                        // run.output_file is the file of profiles
    std::filesystem::path alignment_file;  // "-" is standard input
    std::optional<AlignmentFormat> format;
    bool is_protein = false;  // whether letters are taken as amino acids unchecked (--amino)

    /// Place of the table about the profiles that were built.
    enum class Summary { kNone, kStandardOutput, kFile } summary = Summary::kNone;
    std::optional<std::filesystem::path> summary_file;
    std::optional<std::filesystem::path> processed_file;  // -O: alignments as the profiles see them
    std::optional<std::string> name;                      // name of the only profile

    ProfileBuildSettings profile;
    CalibrationSettings calibration;  // seed 0 draws another seed in each run
    /// Whether profiles of single sequences are made with a substitution matrix (--singlemx), and
    /// the probabilities of gaps in these profiles.
    bool single_by_matrix = false;
    GapProbabilities gaps;
    std::string matrix_name;
    bool takes_hmmer_matrices_only = false;  // is_hmmer_matrix(); HMMER's message about a missing file
    std::optional<std::filesystem::path> matrix_file;

    /// The number of profiles whose outputs wait for later ones, and are left out after an error.
    /// HMMER's threads have such profiles under way. No option sets it.
    std::size_t profiles_behind = 0;

    /// The error with which the run ends when the table has its head; empty: none. No option sets
    /// it.
    std::string refusal;

    HmmReportProgram program;
    std::vector<HmmRun::Given> given;
    // Names of the files in messages.
    std::string alignment_option = "-q", profile_option = "-o", summary_option = "--summary";
    std::string error_prefix;  // beginning of messages about alignments that give no profile
};

/// Defines the options, with their help.
OptionSet make_hmmbuild_options();

/// Returns the settings that the options state. Errors in options are usage errors.
Result<HmmbuildOptions> read_hmmbuild_options(const OptionValues& parsed);

/// Returns all files that the options name. RunFiles::check() then refuses an output that would
/// replace another output or an input.
RunFiles run_files_of(const HmmbuildOptions& options);

}  // namespace warpseq
