#include "apps/dropin/jackhmmer_program.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/common/progress.h"
#include "apps/dropin/hmmer_option_tables.h"
#include "apps/dropin/hmmer_program.h"
#include "apps/dropin/hmmer_search.h"
#include "apps/search/jackhmmer/jackhmmer_command.h"
#include "options/jackhmmer/jackhmmer_options.h"

namespace warpseq {
namespace {

using namespace hmmer_tables;

constexpr EaselRange kUpTo1 = {.text = "0<=x<=1", .least = 0, .most = 1};

constexpr EaselOption kBasicAndRounds[] = {
    kBasic[0],
    {"-N", Kind::kInteger, "set maximum number of iterations to <n>", "5", kPositive},
};

constexpr EaselOption kOutput[] = {
    {"-o", Kind::kFile, "direct output to file <f>, not stdout"},
    {"-A", Kind::kFile, "save multiple alignment of hits to file <f>"},
    {"--tblout", Kind::kFile, "save parseable table of per-sequence hits to file <f>"},
    {"--domtblout", Kind::kFile, "save parseable table of per-domain hits to file <f>"},
    {"--chkhmm", Kind::kFile, "save HMM checkpoints to files <f>-<iteration>.hmm"},
    {"--chkali", Kind::kFile, "save alignment checkpoints to files <f>-<iteration>.sto"},
    {"--acc", Kind::kSwitch, "prefer accessions over names in output"},
    {"--noali", Kind::kSwitch, "don't output alignments, so output is smaller"},
    {"--notextw", Kind::kSwitch, "unlimit ASCII text output line width", "", kAny, "--textw"},
    {"--textw", Kind::kInteger, "set max width of ASCII text output lines", "120", kTextWidth, "--notextw"},
    // Of a patched jackhmmer, which AlphaFold 3 makes.
    {"--seq_limit", Kind::kInteger, "if set, truncate all hits after this value is reached"},
};

constexpr auto kJackhmmerInclusion = inclusion_options("0.001");

constexpr EaselOption kConstruction[] = {
    {"--fragthresh", Kind::kReal, "if L <= x*alen, tag sequence as a fragment", "0.5", kUpTo1},
};

constexpr std::string_view kWeightings = "--wgsc,--wblosum,--wpb,--wnone";
constexpr EaselOption kWeights[] = {
    {.name = "--wpb", .help = "Henikoff position-based weights", .standard = "default", .toggles = kWeightings},
    {.name = "--wgsc", .help = "Gerstein/Sonnhammer/Chothia tree weights", .toggles = kWeightings},
    {.name = "--wblosum", .help = "Henikoff simple filter weights", .toggles = kWeightings},
    {.name = "--wnone", .help = "don't do any relative weighting; set all to 1", .toggles = kWeightings},
    {.name = "--wid",
     .kind = Kind::kReal,
     .help = "for --wblosum: set identity cutoff",
     .standard = "0.62",
     .range = kUpTo1,
     .needs = "--wblosum"},
};

constexpr std::string_view kEffectiveNumbers = "--eent,--eentexp,--eclust,--eset,--enone";
constexpr EaselOption kEffectiveNumber[] = {
    {.name = "--eent",
     .help = "adjust eff seq # to achieve relative entropy target",
     .standard = "default",
     .toggles = kEffectiveNumbers},
    {.name = "--eentexp",
     .help = "adjust eff seq # to reach rel. ent. target using exp scaling",
     .standard = "default",
     .toggles = kEffectiveNumbers},
    {.name = "--eclust", .help = "eff seq # is # of single linkage clusters", .toggles = kEffectiveNumbers},
    {.name = "--enone", .help = "no effective seq # weighting: just use nseq", .toggles = kEffectiveNumbers},
    {.name = "--eset",
     .kind = Kind::kReal,
     .help = "set eff seq # for all models to <x>",
     .toggles = kEffectiveNumbers},
    {.name = "--ere",
     .kind = Kind::kReal,
     .help = "for --eent[exp]: set minimum rel entropy/position to <x>",
     .range = kAboveZero},
    {.name = "--esigma",
     .kind = Kind::kReal,
     .help = "for --eent[exp]: set sigma param to <x>",
     .standard = "45.0",
     .range = kAboveZero},
    {.name = "--eid",
     .kind = Kind::kReal,
     .help = "for --eclust: set fractional identity cutoff to <x>",
     .standard = "0.62",
     .range = kUpTo1,
     .needs = "--eclust"},
};

constexpr EaselOption kPriors[] = {
    {"--pnone", Kind::kSwitch, "don't use any prior; parameters are frequencies", "", kAny, "--plaplace"},
    {"--plaplace", Kind::kSwitch, "use a Laplace +1 prior", "", kAny, "--pnone"},
};

constexpr EaselOption kExpert[] = {
    kNonull2,
    kZ,
    kDomZ,
    kSeed,
    {"--qformat", Kind::kText, "assert query <seqfile> is in format <s>: no autodetection"},
    {"--tformat", Kind::kText, "assert target <seqdb> is in format <s>>: no autodetection"},
    kCpu,
};

/// What jackhmmer knows and refuses, in the order in which it does.
constexpr EaselOption kRefused[] = {
    kCutoffs[0],
    kCutoffs[1],
    kCutoffs[2],
    {.name = "--fast", .toggles = "--fast,--hand"},
    {.name = "--hand", .standard = "default", .toggles = "--fast,--hand"},
    {.name = "--symfrac", .kind = Kind::kReal, .standard = "0.5", .range = kUpTo1, .needs = "--fast"},
    {.name = "--wgiven", .toggles = kWeightings},
};

constexpr EaselGroup kGroups[] = {
    {"Basic options:", kBasicAndRounds},
    {"Options directing output:", kOutput},
    {"Options controlling scoring system in first iteration:", kScoring},
    {"Options controlling reporting thresholds:", kReporting},
    {"Options controlling significance thresholds for inclusion in next round:", kJackhmmerInclusion},
    {"Options controlling acceleration heuristics:", kAcceleration},
    {"Options controlling model construction after first iteration:", kConstruction},
    {"Options controlling relative weights in models after first iteration:", kWeights},
    {"Options controlling effective seq number in models after first iteration:", kEffectiveNumber},
    {"Options controlling prior strategy in models after first iteration:", kPriors},
    {"Options controlling E value calibration:", kCalibration},
    {"Other expert options:", kExpert},
    {"", kRefused},
};

constexpr HmmerProgram kJackhmmer = {.name = "jackhmmer",
                                     .banner = "iteratively search a protein sequence against a protein database",
                                     .usage = "[-options] <seqfile> <seqdb>",
                                     .brief_title = "where basic options are:",
                                     .groups = kGroups};

std::string refusal(const EaselArguments& arguments) {
    for (const EaselOption& option : kRefused) {
        if (!arguments.has(option.name)) continue;
        std::string name(option.name);
        if (name.starts_with("--cut_")) name[5] = '-';  // so it says
        return "jackhmmer does not accept a " + name + " option";
    }
    return {};
}

std::string misuse(const EaselArguments& arguments) {
    return arguments.positional()[1] == "-" ? "jackhmmer cannot read <seqdb> from stdin stream" : "";
}

Status search(const EaselArguments& arguments, const char* called) {
    const std::string &query = arguments.positional()[0], &target = arguments.positional()[1];
    WARPSEQ_TRY(check_sequence_formats(arguments));
    WARPSEQ_TRY(check_sequence_file(target, "target sequence database", "Target sequence database file"));
    WARPSEQ_TRY(check_sequence_file(query, "sequence file", "Sequence file"));
    const auto values = search_values(make_jackhmmer_options(), arguments, query, target);
    if (!values.ok()) return values.status();
    auto options = read_jackhmmer_options(*values, "<seqfile>", "<seqdb>", ExistingFile::kWriteInto);
    if (!options.ok()) return options.status();
    // A query of a few X gets its block in the report, though hardly anything can come of it.
    options->search.calibration.with_hardly_any_information = true;
    options->search.query_format = query_format_of(arguments);
    options->search.common.target_reading.dialect = FastaDialect::kHmmer;
    options->search.names_as_hmmer = true;
    HmmRun& run = options->search.run;
    run.program = hmmer_report_program(kJackhmmer, true);
    describe_other_options(arguments, {"query <seqfile> format asserted:", "target <seqdb> format asserted:"}, run);
    run.command_line = hmmer_command_line(arguments, called);
    TerminalObserver observer(std::string(kJackhmmer.name), true);
    return name_targets(run_jackhmmer_search(*std::move(options), observer), target);
}

}  // namespace

int jackhmmer_program(int argc, char** argv) {
    return run_hmmer_process(kJackhmmer, argc, argv, {.refusal = refusal, .misuse = misuse, .run = search});
}

std::vector<CommandSyntax> jackhmmer_syntax() { return hmmer_syntax(kJackhmmer); }

}  // namespace warpseq
