// The command line of `search hmm`. It has hmmsearch's options under their names, phmmer's for
// queries that are sequences, and the options that every engine has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/hmm/calibration.h"
#include "engines/hmm/hmm_engine.h"
#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_query_reader.h"
#include "formats/io/run_files.h"
#include "formats/sequences/sequence_format.h"
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

/// The settings of a profile search.
struct HmmOptions {
    CommonOptions common;
    std::optional<HmmQueryKind> only_kind;  // the only kind of query that the caller accepts; no option sets it
    SequenceFileFormat query_format;        // format of queries that are sequences
    /// Whether targets are named, tables begin, messages read and outputs stay after errors as
    /// those of HMMER's programs, and targets on standard input are for one query only. No option
    /// sets it.
    bool as_hmmer = false;
    HmmRun run;
    std::string outfmt = "0";
    bool has_header = false;  // whether a table begins with the names of its columns
    HmmOutputFiles files;     // common.output_file, -A, --tblout, --domtblout, --pfamtblout

    HmmThresholds thresholds;  // not used if `profile_cutoffs` asks for each profile's own cutoffs
    enum class ProfileCutoffs { kNone, kGathering, kNoise, kTrusted } profile_cutoffs = ProfileCutoffs::kNone;
    std::optional<double> targets_z, domains_z;  // -Z and --domZ

    // The P-values up to which a target passes each filter. At 1 all targets pass.
    double msv_pvalue = 0.02, viterbi_pvalue = 1e-3, forward_pvalue = 1e-5;
    bool max_sensitivity = false;  // --max: all P-values are 1 and the bias filter is off
    bool bias_filter = true;
    bool null2 = true;
    std::uint32_t seed = 42;  // 0 draws another seed in each run

    // Settings for making a profile from a sequence.
    CalibrationSettings calibration;  // its seed is not used; `seed` is
    GapProbabilities gaps;
    std::optional<std::filesystem::path> matrix_file;  // --mxfile
    SubstitutionMatrix matrix = *profile_matrix("BLOSUM62");
};

/// Defines the options, with their help.
OptionSet make_hmm_options();

/// Returns the sets of options that exclude each other in all searches with profiles as queries or
/// targets.
std::vector<HmmExclusiveOptions> hmm_exclusive_options();

/// Returns the settings that the options state. Errors in options are usage errors. A matrix file
/// that cannot be read is an error of read_matrix_file(). Messages name the queries and databases
/// by `query_option` and `database_option`. `existing` says how outputs that exist are treated.
Result<HmmOptions> read_hmm_options(const OptionValues& parsed, std::string_view query_option = "-q",
                                    std::string_view database_option = "-d",
                                    ExistingFile existing = ExistingFile::kReplace);

/// Does the same for another command that has all or some of these options, as `table` says.
Result<HmmOptions> read_hmm_options(const HmmCommandTable& table, const OptionValues& parsed,
                                    std::string_view query_option, std::string_view database_option,
                                    ExistingFile existing);

/// Returns all files that the options name. RunFiles::check() then refuses an output that would
/// replace another output or an input.
RunFiles run_files_of(const HmmOptions& options);

/// Returns the thresholds for one profile: its own cutoffs if the options ask for them, and the
/// options' thresholds otherwise. If the profile lacks these cutoffs, it is invalid input. If one
/// of HMMER's programs runs (as_hmmer), the error has HMMER's words.
Result<HmmThresholds> thresholds_for(const HmmOptions& options, const ProfileHmm& hmm);

/// Returns the engine's settings.
HmmSettings engine_settings_of(const HmmOptions& options);
/// Returns the settings for reading `file`, which holds profiles or sequences that profiles are
/// made of.
HmmQuerySettings query_settings_of(const HmmOptions& options, const std::filesystem::path& file);

}  // namespace warpseq
