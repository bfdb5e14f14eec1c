// The options of `search blastp`, named and meant as NCBI blastp's, with two dashes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engines/blastp/blastp_settings.h"
#include "formats/fasta/fasta.h"
#include "libcore/base/status.h"
#include "options/option_set.h"
#include "options/search/common_options.h"
#include "reports/blast/blastp_layout.h"

namespace warpseq {

struct BlastpOptions {
    CommonOptions common;
    BlastpSettings settings;
    BlastpLayout layout = {};
    std::string outfmt = "0";
    std::optional<ResidueRange> query_range = {};  // of each query, what is searched with; no option sets it
    /// No option sets these: how queries are read, who hears of those that cannot be searched with
    /// as they are, and of sequences given for the run in which there is nothing to search.
    FastaOptions query_reading = {};
    std::function<void(const std::string&)> on_query_warning = {}, on_subject_warning = {};
    /// Called with the number of queries where none of them has a residue, instead of warnings; its
    /// error ends the search.
    std::function<Status(std::uint64_t)> on_no_query_residues = {};
    /// Of the databases that are named, whether E-values count its sequences; none: what is
    /// searched counts.
    std::vector<bool> counted_databases = {};
    std::vector<std::string> warnings = {};  // of options without effect and the like
};

OptionSet make_blastp_options();
/// Wrong values are usage errors; gap costs without statistics, and what blastp refuses besides,
/// invalid input.
Result<BlastpOptions> read_blastp_options(const OptionValues& parsed);

}  // namespace warpseq
