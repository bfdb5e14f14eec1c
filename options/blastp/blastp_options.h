// The options of `search blastp`. They have the names and meanings of NCBI blastp's options, with
// two dashes.
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
    std::optional<ResidueRange> query_range = {};  // residues of each query that are used; no option sets it
    /// Settings that no option sets. `query_reading` says how queries are read. `on_query_warning`
    /// takes warnings about queries that cannot be searched with as they are. `on_subject_warning`
    /// takes warnings about sequences that are given for this run alone and have nothing to search.
    FastaOptions query_reading = {};
    std::function<void(const std::string&)> on_query_warning = {}, on_subject_warning = {};
    /// Called with the number of queries, instead of warnings, if none of them has a residue. Its
    /// error ends the search.
    std::function<Status(std::uint64_t)> on_no_query_residues = {};
    /// Whether E-values count the sequences of each database that is named. If empty, they count
    /// all that is searched.
    std::vector<bool> counted_databases = {};
    std::vector<std::string> warnings = {};  // about options without effect and the like
};

OptionSet make_blastp_options();
/// Reads the options back. Wrong values are usage errors. Gap costs without statistics, and
/// whatever else blastp refuses, are invalid input.
Result<BlastpOptions> read_blastp_options(const OptionValues& parsed);

}  // namespace warpseq
