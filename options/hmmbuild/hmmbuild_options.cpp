#include "options/hmmbuild/hmmbuild_options.h"

#include <limits>
#include <string_view>
#include <utility>

#include "libcore/base/version.h"
#include "options/hmm/hmm_option_table.h"

namespace warpseq {
namespace {

using Option = HmmOption;
using Shown = HmmShown;

constexpr Option kFileOptions[] = {
    {"n", "NAME", nullptr, "name of the profile, where the file holds one alignment", "name (the single) HMM:", ""},
    {"summary", "FILE", nullptr,
     "write the table of what was built; - is standard output, where it goes anyway if -o names a file",
     "output directed to file:", ""},
    {"O", "FILE", nullptr, "write the alignments as the profiles see them, in Stockholm format",
     "processed alignment resaved to:", ""},
    {"amino", nullptr, nullptr, "the letters are amino acids, whatever they look like",
     "input alignment is asserted as:", "protein"},
};

constexpr Option kModelOptions[] = {
    {"fast", nullptr, nullptr, "nodes are columns with enough residues; the default", "", ""},
    {"hand", nullptr, nullptr, "nodes are columns that the reference line (RF) marks",
     "model architecture construction:", "hand-specified by RF annotation"},
    {"symfrac", "X", "0.5", "with --fast: residues in a column, by weight, from which on it is a node, 0 to 1",
     "sym fraction for model structure:", "", Shown::kThreeDigits},
    {"fragthresh", "X", "0.5", "a sequence with residues in at most this part of the columns is a fragment, 0 to 1",
     "seq called frag if L <= x*alen:", "", Shown::kThreeDigits},
};

constexpr Option kWeightOptions[] = {
    {"wpb", nullptr, nullptr, "weights by position (Henikoff); the default", "", ""},
    {"wgsc", nullptr, nullptr, "weights by a tree (Gerstein, Sonnhammer, Chothia)",
     "relative weighting scheme:", "G/S/C"},
    {"wblosum", nullptr, nullptr, "weights by clusters, as BLOSUM's", "relative weighting scheme:", "BLOSUM filter"},
    {"wnone", nullptr, nullptr, "the same weight for all", "relative weighting scheme:", "none"},
    {"wgiven", nullptr, nullptr, "the file's weights (WT)", "", ""},
    {"wid", "X", "0.62", "with --wblosum: identity of a cluster's sequences, 0 to 1",
     "frac id cutoff for BLOSUM wgts:", "", Shown::kFixed},
};

constexpr Option kNumberOptions[] = {
    {"eent", nullptr, nullptr, "as many sequences as give the entropy asked for; the default", "", ""},
    {"eentexp", nullptr, nullptr, "the same by an exponent of each node's counts", "", ""},
    {"eclust", nullptr, nullptr, "as many as there are clusters",
     "effective seq number scheme:", "single linkage clusters"},
    {"enone", nullptr, nullptr, "as many as there are sequences", "effective seq number scheme:", "none"},
    {"eset", "X", nullptr, "so many", "effective seq number:", "set to ", Shown::kFixed},
    {"ere", "X", nullptr, "least relative entropy of a node in bits; default 0.59", "minimum rel entropy target:", "",
     Shown::kFixed, nullptr, " bits"},
    {"esigma", "X", "45.0", "relative entropy in bits that short models shall have as a whole",
     "entropy target sigma parameter:", "", Shown::kFixed, nullptr, " bits"},
    {"eid", "X", "0.62", "with --eclust: identity of a cluster's sequences, 0 to 1", "frac id cutoff for --eclust:", "",
     Shown::kFixed},
};

constexpr Option kPriorOptions[] = {
    {"pnone", nullptr, nullptr, "no prior: frequencies", "prior scheme:", "none"},
    {"plaplace", nullptr, nullptr, "one more of each residue and transition", "prior scheme:", "Laplace +1"},
};

constexpr Option kCalibrationOptions[] = {
    {"EmL", "N", "200", "length of random sequences that mu of MSV scores is fitted to",
     "seq length for MSV Gumbel mu fit:", "", Shown::kWhole},
    {"EmN", "N", "200", "number of them", "seq number for MSV Gumbel mu fit:", "", Shown::kWhole},
    {"EvL", "N", "200", "length of random sequences that mu of Viterbi scores is fitted to",
     "seq length for Vit Gumbel mu fit:", "", Shown::kWhole},
    {"EvN", "N", "200", "number of them", "seq number for Vit Gumbel mu fit:", "", Shown::kWhole},
    {"EfL", "N", "100", "length of random sequences that tau of Forward scores is fitted to",
     "seq length for Fwd exp tau fit:", "", Shown::kWhole},
    {"EfN", "N", "200", "number of them", "seq number for Fwd exp tau fit:", "", Shown::kWhole},
    {"Eft", "P", "0.04", "probability of the tail of Forward scores that tau is fitted to",
     "tail mass for Fwd exp tau fit:", "", Shown::kFixed},
};

constexpr Option kSequenceOptions[] = {
    {"singlemx", nullptr, nullptr, "profiles of single sequences come of a substitution matrix",
     "use score matrix for 1-seq MSAs:", "on"},
    {"popen", "P", nullptr,
     "probability of opening a gap, below 0.5, behind every node; with --singlemx 0.02 where it is not given",
     "gap open probability:", "", Shown::kFixed},
    {"pextend", "P", nullptr, "the same of extending one, below 1; with --singlemx 0.4", "gap extend probability:", "",
     Shown::kFixed},
    {"mx", "NAME", "BLOSUM62", "with --singlemx: BLOSUM45, 50, 62, 80, 90, PAM30, 70, 120, 240, 250 or IDENTITY",
     "subst score matrix (built-in):", ""},
    {"mxfile", "FILE", nullptr, "with --singlemx: a matrix in NCBI's format", "subst score matrix (file):", ""},
};

constexpr Option kInsertOptions[] = {
    {"maxinsertlen", "N", nullptr, "count inserts as if their mean length were at most N, 5 or more",
     "max insert length:", "", Shown::kWhole},
};

constexpr Option kSeedOptions[] = {
    {"seed", "N", "42", "seed of calibration's random sequences; 0: another one in each run",
     "random number seed set to:", "", Shown::kWhole},
};

constexpr Option kReadingOptions[] = {
    {"informat", "NAME", nullptr,
     "stockholm, pfam, afa, a2m, psiblast, selex, clustal, clustallike, phylip or phylips; default: what the file "
     "looks like",
     "", ""},
};

/// In the order of the lines at the top of the summary.
const HmmCommandTable& search_hmmbuild() {
    static const HmmCommandTable kTable = {
        .name = "hmmbuild",
        .groups = {{"Input and output", kFileOptions, true},
                   {"Model", kModelOptions},
                   {"Relative weights", kWeightOptions},
                   {"Effective number of sequences", kNumberOptions},
                   {"Prior", kPriorOptions},
                   {"Calibration", kCalibrationOptions},
                   {"Single sequences", kSequenceOptions},
                   {"Model", kInsertOptions},
                   {"Calibration", kSeedOptions},
                   {"Input and output", kReadingOptions}},
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

CalibrationSettings read_calibration(HmmOptionReader& reader) {
    CalibrationSettings settings;
    const auto count = [&](const char* name, std::uint32_t& value) {
        value = reader.number<std::uint32_t>(name, "a whole number from 1 to 2147483647", [](std::int64_t n) {
            return n >= 1 && n <= std::numeric_limits<std::int32_t>::max();
        });
    };
    count("EmL", settings.msv_residues);
    count("EmN", settings.msv_sequences);
    count("EvL", settings.viterbi_residues);
    count("EvN", settings.viterbi_sequences);
    count("EfL", settings.forward_residues);
    count("EfN", settings.forward_sequences);
    settings.forward_tail =
        reader.number<double>("Eft", "a probability above 0 and below 1", [](double p) { return p > 0 && p < 1; });
    settings.seed = reader.number<std::uint32_t>("seed", "a whole number from 0 to 4294967295", [](std::int64_t n) {
        return n >= 0 && n <= std::numeric_limits<std::uint32_t>::max();
    });
    settings.with_hardly_any_information = true;  // as HMMER's
    return settings;
}

/// Gap probabilities are of single sequences with --singlemx, else of every profile.
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
            return Status::usage("--informat " + reader.text("informat") + ": this is no format of alignments; see " +
                                 "search hmmbuild --help");
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
