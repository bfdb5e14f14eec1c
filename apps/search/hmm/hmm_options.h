// The command line of `search hmm`: hmmsearch's options under hmmsearch's names, phmmer's for queries that are sequences, and
// those that every engine has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/search/common_options.h"
#include "apps/search/hmm/hmm_hit.h"
#include "libcore/base/status.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/scoring/profile_matrices.h"
#include "libcore/scoring/scoring.h"

namespace warpseq {

struct HmmOptions {
    CommonOptions common;

    std::optional<std::filesystem::path> alignment_file;     // -A
    std::optional<std::filesystem::path> target_table_file;  // --tblout
    std::optional<std::filesystem::path> domain_table_file;  // --domtblout
    std::optional<std::filesystem::path> pfam_table_file;    // --pfamtblout
    bool show_accessions = false;
    bool show_alignments = true;
    int text_width = 120;  // 0: no limit

    HmmThresholds thresholds;  // of profiles that are not asked for cutoffs of their own
    enum class ProfileCutoffs { kNone, kGathering, kNoise, kTrusted } profile_cutoffs = ProfileCutoffs::kNone;
    std::optional<double> targets_z, domains_z;

    // P-values up to which a target passes a filter; 1 lets all pass.
    double msv_pvalue = 0.02, viterbi_pvalue = 1e-3, forward_pvalue = 1e-5;
    bool max_sensitivity = false;  // --max: the three are 1, and there is no bias filter
    bool bias_filter = true;
    bool null2 = true;
    std::uint32_t seed = 42;  // 0: another one in each run

    // How a profile is made of a sequence.
    double gap_open_probability = 0.02, gap_extend_probability = 0.4;
    std::optional<std::filesystem::path> matrix_file;  // --mxfile
    SubstitutionMatrix matrix = *profile_matrix("BLOSUM62");

    /// An option of the command line that bears on results or output, in the order of the help.
    struct Given {
        std::string name;          // with its dashes
        std::string value;         // as given; empty: it has none
        std::string label, shown;  // the line about it at the top of a report: what it sets, and to what
        bool is_default = false;   // given, but with the text of the default: no line
    };
    std::vector<Given> given;

    /// Files as given, separated by "; ".
    std::string database_names() const;
    /// The program with all options that bear on results or output.
    std::string command_line() const;
};

/// Defines the options, with their help.
cxxopts::Options make_hmm_options();

/// The help, its groups in the order of a search.
std::string hmm_help(const cxxopts::Options& options);

/// Reads them back. What is wrong with them is a usage error; a matrix file that cannot be read is an error of its own.
Result<HmmOptions> read_hmm_options(const cxxopts::ParseResult& parsed);

/// The thresholds for one profile: its own cutoffs where they are asked for. A profile that lacks them is an error.
Result<HmmThresholds> thresholds_for(const HmmOptions& options, const ProfileHmm& hmm);

}  // namespace warpseq
