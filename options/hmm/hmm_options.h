// The command line of `search hmm`: hmmsearch's options under hmmsearch's names, phmmer's for
// queries that are sequences, and those that every engine has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/hmm/calibration.h"
#include "engines/hmm/hmm_hit.h"
#include "formats/alignments/sequence_file.h"
#include "formats/io/run_files.h"
#include "libcore/base/status.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/profile/sequence_profile.h"
#include "libcore/scoring/profile_matrices.h"
#include "libcore/scoring/scoring.h"
#include "options/hmm/hmm_option_table.h"
#include "options/option_set.h"
#include "options/search/common_options.h"
#include "reports/hmmer/hmm_run.h"

namespace warpseq {

struct HmmOptions {
    CommonOptions common;
    std::optional<HmmQueryKind> only_kind;  // of HMMER's programs; other queries are errors, in HMMER's words
    QuerySequenceFormat query_format;       // of queries that are sequences
    bool names_as_hmmer = false;            // of targets; no option sets it
    HmmRun run;
    std::string outfmt = "0";
    HmmOutputFiles files;  // common.output_file, -A, --tblout, --domtblout, --pfamtblout

    HmmThresholds thresholds;  // of profiles that are not asked for cutoffs of their own
    enum class ProfileCutoffs { kNone, kGathering, kNoise, kTrusted } profile_cutoffs = ProfileCutoffs::kNone;
    std::optional<double> targets_z, domains_z;

    // P-values up to which a target passes a filter; 1 lets all pass.
    double msv_pvalue = 0.02, viterbi_pvalue = 1e-3, forward_pvalue = 1e-5;
    bool max_sensitivity = false;  // --max: the P-values of filters are 1, and there is no bias filter
    bool bias_filter = true;
    bool null2 = true;
    std::uint32_t seed = 42;  // 0: another one in each run

    // How a profile is made of a sequence.
    CalibrationSettings calibration;  // but for the seed
    GapProbabilities gaps;
    std::optional<std::filesystem::path> matrix_file;  // --mxfile
    SubstitutionMatrix matrix = *profile_matrix("BLOSUM62");
};

/// Defines the options, with their help.
OptionSet make_hmm_options();

/// What excludes each other in all searches for or with profiles.
std::vector<HmmExclusiveOptions> hmm_exclusive_options();

/// Reads them back. What is wrong with them is a usage error; a matrix file that cannot be read is
/// an error of its own. Messages call queries and databases by these options. `existing` is what
/// becomes of outputs that exist.
Result<HmmOptions> read_hmm_options(const OptionValues& parsed, std::string_view query_option = "-q",
                                    std::string_view database_option = "-d",
                                    ExistingFile existing = ExistingFile::kReplace);

/// The same for another command that has these options, or some of them.
Result<HmmOptions> read_hmm_options(const HmmCommandTable& table, const OptionValues& parsed,
                                    std::string_view query_option, std::string_view database_option,
                                    ExistingFile existing);

/// All files that they name. No output may replace another one, or what is read: RunFiles::check().
RunFiles run_files_of(const HmmOptions& options);

/// The thresholds for one profile: its own cutoffs where they are asked for. A profile that lacks
/// them is an error, in HMMER's words for its programs.
Result<HmmThresholds> thresholds_for(const HmmOptions& options, const ProfileHmm& hmm);

}  // namespace warpseq
