#include "options/jackhmmer/jackhmmer_options.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>
#include <tuple>
#include <utility>

#include "options/hmm/hmm_option_table.h"
#include "options/jackhmmer/jackhmmer_rows.h"
#include "options/search/common_options.h"

namespace warpseq {
namespace {

using namespace jackhmmer_rows;

/// The number of rounds whose checkpoint files are checked before the search even if they do not
/// exist. Later rounds may never need theirs.
constexpr std::uint64_t kCheckedRounds = 100;

/// All rows about the profiles of later rounds.
constexpr auto kBuild = joined(kConstruction, kWeights, kEffectiveNumber, kPriors);
constexpr auto kLayout = joined(kRoundFormat, kRoundAlignment, kAlignmentFormat, kRoundOutput);

const HmmCommandTable& search_jackhmmer() {
    static const HmmCommandTable kTable = {
        .name = "jackhmmer",
        .groups = {{"Rounds", kRounds},
                   {"Input and output", kLayout, true},
                   {"First round", kSequence},
                   {"Reporting", kRoundReporting},
                   {"Inclusion in the next round", kRoundInclusion},
                   {"Filter", kFilter},
                   {"Profiles of later rounds", kBuild},
                   {"Statistics", kCalibration},
                   {"Statistics", kNull2},
                   {"Statistics", kStatistics}},
        .exclusive = {{"E", "T"},
                      {"domE", "domT"},
                      {"incE", "incT"},
                      {"incdomE", "incdomT"},
                      {"textw", "notextw"},
                      {"max", "F1"},
                      {"max", "F2"},
                      {"max", "F3"},
                      {"max", "nobias"},
                      {"mx", "mxfile"},
                      {"wpb", "wgsc", "wblosum", "wnone"},
                      {"eent", "eentexp", "eclust", "enone", "eset"},
                      {"pnone", "plaplace"}},
    };
    return kTable;
}

ProfileBuildSettings read_build(HmmOptionReader& reader) {
    ProfileBuildSettings build;
    const auto part = [&](const char* name) {
        return reader.number<double>(name, "a number from 0 to 1", [](double x) { return x >= 0 && x <= 1; });
    };
    const auto positive = [&](const char* name) {
        return reader.number<double>(name, "a number above 0", [](double x) { return x > 0; });
    };
    build.most_fragment_fill = static_cast<float>(part("fragthresh"));
    if (reader.has("wgsc")) build.weighting = RelativeWeighting::kTree;
    if (reader.has("wblosum")) build.weighting = RelativeWeighting::kClusters;
    if (reader.has("wnone")) build.weighting = RelativeWeighting::kNone;
    build.weighting_identity = part("wid");
    if (reader.has("wid") && !reader.has("wblosum")) reader.fail(Status::usage("--wid is for --wblosum"));
    if (reader.has("eentexp")) build.effective_number = EffectiveNumber::kEntropyExponent;
    if (reader.has("eclust")) build.effective_number = EffectiveNumber::kClusters;
    if (reader.has("enone")) build.effective_number = EffectiveNumber::kNone;
    if (reader.has("eset")) {
        build.effective_number = EffectiveNumber::kGiven;
        build.effective_sequences = reader.number<double>("eset", "a number", [](double) { return true; });
    }
    if (reader.has("ere")) build.node_entropy_bits = positive("ere");
    build.model_entropy_bits = positive("esigma");
    build.cluster_identity = part("eid");
    if (reader.has("eid") && !reader.has("eclust")) reader.fail(Status::usage("--eid is for --eclust"));
    if (reader.has("pnone")) build.prior = PriorChoice::kNone;
    if (reader.has("plaplace")) build.prior = PriorChoice::kLaplace;
    return build;
}

/// Checks the files of checkpoints: all that exist, and those of the first rounds.
Status check_files(const JackhmmerOptions& options) {
    RunFiles files = run_files_of(options.search);
    for (const auto& [option, prefix, ending] :
         {std::tuple("--chkhmm", &options.checkpoints.profiles, kProfileCheckpoint),
          std::tuple("--chkali", &options.checkpoints.alignments, kAlignmentCheckpoint)}) {
        if (!*prefix) continue;
        files.add_numbered_outputs(option, **prefix + "-", ending, options.rounds);
        for (std::uint64_t round = 1; round <= std::min(options.rounds, kCheckedRounds); ++round) {
            const std::filesystem::path file = checkpoint_file(**prefix, round, ending);
            std::error_code error;
            if (!std::filesystem::exists(file, error)) files.add_output(option, file);
        }
    }
    return files.check();
}

}  // namespace

OptionSet make_jackhmmer_options() {
    OptionSet options("search jackhmmer",
                      "Protein sequences against every sequence, in rounds: HMMER 3's jackhmmer, with\n"
                      "its options and its output. What a round finds makes the next one's profile.\n");
    options.custom_help("-q QUERY.fasta -d DATABASE.wsdb [-d MORE.wsdb] [options]");
    options.help_groups({"Input and output", "Rounds", "Reporting", "Inclusion in the next round", "Filter",
                         "Statistics", "First round", "Profiles of later rounds", "Targets", "Machine", "Other"});
    add_input_options(
        options,
        "protein sequences: FASTA, EMBL, UniProt, GenBank or rows of alignments; plain, gzip or zstd; - is standard "
        "input");
    add_hmm_options(options, search_jackhmmer().groups);
    add_target_options(options);
    add_machine_options(options);
    add_chunk_size_option(options);
    return options;
}

Result<JackhmmerOptions> read_jackhmmer_options(const OptionValues& parsed, std::string_view query_option,
                                                std::string_view database_option, ExistingFile existing) {
    auto search = read_hmm_options(search_jackhmmer(), parsed, query_option, database_option, existing);
    if (!search.ok()) return search.status();
    JackhmmerOptions options;
    options.search = *std::move(search);
    const std::string name = "search jackhmmer";
    HmmReportProgram& program = options.search.run.program;
    program.name = name;
    program.author = name + " (" + program.version + ")";
    program.banner = "iteratively search a protein sequence against a protein database";
    HmmOptionReader reader(parsed);
    options.rounds = reader.number<std::uint64_t>("N", "a whole number from 1 to 2147483647", [](std::int64_t n) {
        return n >= 1 && n <= std::numeric_limits<std::int32_t>::max();
    });
    if (reader.has("seq_limit")) {
        const auto limit =
            reader.number<std::int64_t>("seq_limit", "a whole number", [](std::int64_t) { return true; });
        // A limit below 0 means no limit, as in the patch that the option comes from.
        if (limit >= 0) options.most_targets = static_cast<std::uint64_t>(limit);
    }
    options.build = read_build(reader);
    if (reader.has("chkhmm")) options.checkpoints.profiles = reader.text("chkhmm");
    if (reader.has("chkali")) options.checkpoints.alignments = reader.text("chkali");
    options.checkpoints.existing = existing;
    if (!reader.status().ok()) return reader.status();
    WARPSEQ_TRY(check_files(options));
    return options;
}

HmmRoundsSettings rounds_settings_of(const JackhmmerOptions& options) {
    HmmRoundsSettings settings;
    settings.most_rounds = options.rounds;
    settings.most_targets = options.most_targets;
    settings.thresholds = options.search.thresholds;
    settings.calibration = options.search.calibration;
    settings.calibration.seed = options.search.seed;
    settings.build = options.build;
    settings.author = options.search.run.program.author;
    return settings;
}

}  // namespace warpseq
