// The command line of `search hmmbuild`: hmmbuild's options under hmmbuild's names, and those that
// every command has.
#pragma once

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

struct HmmbuildOptions {
    RunOptions run;                        // run.output_file: the profiles
    std::filesystem::path alignment_file;  // "-" is standard input
    std::optional<AlignmentFormat> format;
    bool is_protein = false;  // whatever the letters look like

    /// The table of what was built.
    enum class Summary { kNone, kStandardOutput, kFile } summary = Summary::kNone;
    std::optional<std::filesystem::path> summary_file;
    std::optional<std::filesystem::path> processed_file;  // -O
    std::optional<std::string> name;                      // of the only profile

    ProfileBuildSettings profile;
    CalibrationSettings calibration;  // seed 0: another one in each run
    bool single_by_matrix = false;    // --singlemx
    GapProbabilities gaps;            // of those
    std::string matrix_name;
    std::optional<std::filesystem::path> matrix_file;

    HmmReportProgram program;
    std::vector<HmmRun::Given> given;
    // As messages call the files.
    std::string alignment_option = "-q", profile_option = "-o", summary_option = "--summary";
    std::string error_prefix;  // of messages about alignments that no profile can be made of
};

/// Defines the options, with their help.
OptionSet make_hmmbuild_options();

/// Reads them back. What is wrong with them is a usage error.
Result<HmmbuildOptions> read_hmmbuild_options(const OptionValues& parsed);

/// All files that they name. No output may replace another one, or what is read: RunFiles::check().
RunFiles run_files_of(const HmmbuildOptions& options);

}  // namespace warpseq
