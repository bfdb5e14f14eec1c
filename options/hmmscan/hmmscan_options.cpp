#include "options/hmmscan/hmmscan_options.h"

#include "options/hmm/hmm_option_table.h"
#include "options/hmmscan/hmmscan_rows.h"

namespace warpseq {
namespace {

using namespace hmmscan_rows;

const HmmCommandTable& search_hmmscan() {
    static const HmmCommandTable kTable = {
        .name = "hmmscan",
        .groups = {{"Input and output", kFormat, true},
                   {"Input and output", kOutput, true},
                   {"Reporting", kScanReporting},
                   {"Inclusion", kScanInclusion},
                   {"Cutoff", kCutoff},
                   {"Filter", kScanFilter},
                   {"Statistics", kNull2},
                   {"Statistics", kStatistics}},
        .exclusive = hmm_exclusive_options(),
    };
    return kTable;
}

}  // namespace

OptionSet make_hmmscan_options() {
    OptionSet options("search hmmscan",
                      "Which profiles of a file are in each sequence: HMMER 3's hmmscan, with its\n"
                      "options and its output.\n");
    options.custom_help("-q QUERY.fasta -d PROFILES.hmm [options]");
    options.help_groups(
        {"Input and output", "Reporting", "Inclusion", "Cutoff", "Filter", "Statistics", "Machine", "Other"});
    options.add_options("Input and output")                                                                       //
        ("q,query", "sequences in FASTA format; plain, gzip or zstd; - is standard input", text_value(), "FILE")  //
        ("d,db", "file of profiles in HMMER3 format, pressed (hmmpress) or not", texts_value(), "FILE");
    add_output_options(options);
    add_hmm_options(options, search_hmmscan().groups);
    add_machine_options(options);
    return options;
}

Result<HmmOptions> read_hmmscan_options(const OptionValues& parsed, std::string_view query_option,
                                        std::string_view database_option, ExistingFile existing) {
    if (parsed.count("query") == 0) return Status::usage("no sequences: name a FASTA file with -q");
    if (parsed.count("db") == 0) return Status::usage("no profiles: name a file of profiles with -d");
    if (parsed.count("db") > 1) return Status::usage("-d is given more than once; put the profiles into one file");
    if (parsed.texts("db").front() == "-")
        return Status::usage("-d -: profiles are read again for each batch of sequences, so they have to be in a file");
    auto options = read_hmm_options(search_hmmscan(), parsed, query_option, database_option, existing);
    if (!options.ok()) return options.status();
    options->run.scans_models = true;
    options->run.program.name = "search hmmscan";
    return options;
}

HmmModelSearchSettings model_search_settings_of(const HmmOptions& options) {
    HmmModelSearchSettings settings;
    settings.models = query_settings_of(options, options.common.database_files.front());
    settings.engine = engine_settings_of(options);
    settings.thresholds_of = [&options](const ProfileHmm& model) { return thresholds_for(options, model); };
    settings.thresholds = settings.report_thresholds = options.thresholds;
    if (options.profile_cutoffs != HmmOptions::ProfileCutoffs::kNone)
        settings.report_thresholds.by_evalue = settings.report_thresholds.include_by_evalue = false;
    return settings;
}

}  // namespace warpseq
