#include "options/hmmbuild/hmmbuild_options.h"

#include <limits>
#include <string_view>
#include <utility>

#include "libcore/base/version.h"
#include "options/hmm/hmm_option_table.h"
#include "options/hmmbuild/hmmbuild_rows.h"

namespace warpseq {
namespace {

using namespace hmmbuild_rows;

/// Only proteins have profiles here, so --amino is the only alphabet with a name in this dialect.
constexpr auto kFiles = joined(kName, kSummary, kProcessed, kAlphabet);

const HmmCommandTable& search_hmmbuild() {
    static const HmmCommandTable kTable = {
        .name = "hmmbuild",
        .groups = {{"Input and output", kFiles, true},
                   {"Model", kModel},
                   {"Relative weights", kWeights},
                   {"Effective number of sequences", kNumbers},
                   {"Prior", kPrior},
                   {"Calibration", kBuildCalibration},
                   {"Single sequences", kSingle},
                   {"Model", kInsert},
                   {"Calibration", kBuildSeed},
                   {"Input and output", kReading}},
        .exclusive = {{"fast", "hand"},
                      {"hand", "symfrac"},
                      {"wpb", "wgsc", "wblosum", "wnone", "wgiven"},
                      {"eent", "eentexp", "eclust", "enone", "eset"},
                      {"pnone", "plaplace"},
                      {"mx", "mxfile"}},
    };
    return kTable;
}

ProfileBuildSettings read_profile(HmmOptionReader& reader) {
    const auto fraction = [&](const char* name) {
        return reader.number<double>(name, "a number from 0 to 1", [](double x) { return x >= 0 && x <= 1; });
    };
    const auto bits = [&](const char* name) {
        return reader.number<double>(name, "a number of bits above 0", [](double x) { return x > 0; });
    };
    ProfileBuildSettings profile;
    if (reader.has("hand")) profile.architecture = ModelArchitecture::kReference;
    profile.least_residues = static_cast<float>(fraction("symfrac"));
    profile.most_fragment_fill = static_cast<float>(fraction("fragthresh"));
    for (const auto& [name, weighting] :
         {std::pair("wgsc", RelativeWeighting::kTree), std::pair("wblosum", RelativeWeighting::kClusters),
          std::pair("wnone", RelativeWeighting::kNone), std::pair("wgiven", RelativeWeighting::kGiven)}) {
        if (reader.has(name)) profile.weighting = weighting;
    }
    profile.weighting_identity = fraction("wid");
    for (const auto& [name, number] :
         {std::pair("eentexp", EffectiveNumber::kEntropyExponent), std::pair("eclust", EffectiveNumber::kClusters),
          std::pair("enone", EffectiveNumber::kNone), std::pair("eset", EffectiveNumber::kGiven)}) {
        if (reader.has(name)) profile.effective_number = number;
    }
    if (reader.has("eset")) {
        profile.effective_sequences =
            reader.number<double>("eset", "a number of 0 or more", [](double x) { return x >= 0; });
    }
    if (reader.has("ere")) profile.node_entropy_bits = bits("ere");
    profile.model_entropy_bits = bits("esigma");
    profile.cluster_identity = fraction("eid");
    if (reader.has("pnone")) profile.prior = PriorChoice::kNone;
    if (reader.has("plaplace")) profile.prior = PriorChoice::kLaplace;
    if (reader.has("maxinsertlen")) {
        profile.longest_insert = reader.number<int>("maxinsertlen", "a whole number, 5 or more", [](std::int64_t n) {
            return n >= 5 && n <= std::numeric_limits<int>::max();
        });
    }
    return profile;
}

/// Reads the gap probabilities. With --singlemx they are for single sequences, and otherwise for
/// every profile.
void read_gaps(HmmOptionReader& reader, HmmbuildOptions& options) {
    const auto probability = [&](const char* name, const char* expected, double below) -> std::optional<double> {
        if (!reader.has(name)) return std::nullopt;
        return reader.number<double>(name, expected, [below](double p) { return p >= 0 && p < below; });
    };
    const auto open = probability("popen", "a probability from 0 to below 0.5", 0.5);
    const auto extend = probability("pextend", "a probability from 0 to below 1", 1);
    if (options.single_by_matrix) {
        options.gaps.open = open.value_or(options.gaps.open);
        options.gaps.extend = extend.value_or(options.gaps.extend);
        options.profile.gap_open = options.gaps.open;
        options.profile.gap_extend = options.gaps.extend;
    } else {
        options.profile.gap_open = open;
        options.profile.gap_extend = extend;
    }
}

}  // namespace

OptionSet make_hmmbuild_options() {
    OptionSet options("search hmmbuild",
                      "Profile HMMs of multiple alignments: HMMER 3's hmmbuild, with its options and its\n"
                      "numbers.\n");
    options.custom_help("-q ALIGNMENTS [-o PROFILES.hmm] [options]");
    options.help_groups({"Input and output", "Model", "Relative weights", "Effective number of sequences", "Prior",
                         "Single sequences", "Calibration", "Machine", "Other"});
    options.add_options("Input and output")                                                                //
        ("q,query", "file of alignments, plain, gzip or zstd; - is standard input", text_value(), "FILE")  //
        ("o,out", "write the profiles to a file, which appears when it is whole; - is standard output", text_value(),
         "FILE")  //
        ("quiet", "no progress and no warnings on standard error");
    add_hmm_options(options, search_hmmbuild().groups);
    options.add_options("Machine")                                                      //
        ("threads", "threads of the host; default: all it may use", text_value(), "N")  //
        ("cpu-backend", "auto, or one of avx512, avx2, sse41, portable, reference", text_value("auto"), "NAME");
    options.add_options("Other")("h,help", "print this help")("version", "print the version");
    return options;
}

Result<HmmbuildOptions> read_hmmbuild_options(const OptionValues& parsed) {
    if (parsed.count("query") == 0) return Status::usage("no alignments: name a file of them with -q");
    WARPSEQ_TRY(check_hmm_conflicts(parsed, search_hmmbuild().exclusive));
    HmmbuildOptions options;
    options.alignment_file = parsed.text("query");
    if (parsed.count("out") != 0 && parsed.text("out") != "-") options.run.output_file = parsed.text("out");
    options.run.quiet = parsed.count("quiet") != 0;
    const auto threads = read_threads(parsed);
    if (!threads.ok()) return threads.status();
    options.run.threads = *threads;
    const auto backend = cpu_backend_from_name(parsed.text("cpu-backend"));
    if (!backend.ok()) return backend.status();
    options.run.cpu_backend = *backend;

    HmmOptionReader reader(parsed);
    if (reader.has("informat")) {
        options.format = alignment_format_named(reader.text("informat"));
        if (!options.format || options.format == AlignmentFormat::kA3m)
            return Status::usage("--informat " + reader.text("informat") +
                                 ": this is not a format of alignments; see " + "search hmmbuild --help");
    }
    options.is_protein = reader.has("amino");
    if (reader.has("n")) options.name = reader.text("n");
    options.summary_file = reader.output("summary");
    options.summary = options.summary_file                               ? HmmbuildOptions::Summary::kFile
                      : reader.has("summary") || options.run.output_file ? HmmbuildOptions::Summary::kStandardOutput
                                                                         : HmmbuildOptions::Summary::kNone;
    options.processed_file = reader.output("O");
    options.profile = read_profile(reader);
    options.calibration = read_calibration(reader);
    options.calibration.seed = reader.number<std::uint32_t>(
        "seed", "a whole number from 0 to 4294967295",
        [](std::int64_t n) { return n >= 0 && n <= std::numeric_limits<std::uint32_t>::max(); });
    options.calibration.with_hardly_any_information = true;  // as HMMER's
    options.single_by_matrix = reader.has("singlemx");
    read_gaps(reader, options);
    options.matrix_name = reader.text("mx");
    options.matrix_file = reader.file("mxfile");
    if (!reader.status().ok()) return reader.status();
    options.given = given_hmm_options(parsed, search_hmmbuild().groups);
    std::erase_if(options.given, [](const HmmRun::Given& given) { return given.name == "-o"; });
    options.program = search_hmm_program();
    options.program.name = "search hmmbuild";
    options.program.banner = "profile HMM construction from multiple sequence alignments";
    return options;
}

RunFiles run_files_of(const HmmbuildOptions& options) {
    RunFiles files;
    files.set_existing(options.run.existing);
    files.add_input(options.alignment_option, options.alignment_file);
    if (options.matrix_file) files.add_input("--mxfile", *options.matrix_file);
    files.add_output(options.profile_option, options.run.output_file);
    if (options.summary_file) files.add_output(options.summary_option, *options.summary_file);
    if (options.processed_file) files.add_output("-O", *options.processed_file);
    files.let_outputs_share_streams();
    return files;
}

}  // namespace warpseq
