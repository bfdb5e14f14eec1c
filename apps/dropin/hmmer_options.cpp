#include "apps/dropin/hmmer_options.h"

#include "apps/dropin/hmmer_option_tables.h"

namespace warpseq {
namespace {

using namespace hmmer_tables;

constexpr auto kHmmsearchOutput = output_options("save multiple alignment of all hits to file <f>");
constexpr auto kPhmmerOutput = output_options("save multiple alignment of hits to file <f>");

constexpr EaselOption kHmmsearchExpert[] = {
    kNonull2,
    kZ,
    kDomZ,
    kSeed,
    {"--tformat", Kind::kText, "assert target <seqfile> is in format <s>: no autodetection"},
    kCpu,
};
constexpr EaselOption kPhmmerExpert[] = {
    kNonull2,
    kZ,
    kDomZ,
    kSeed,
    {"--qformat", Kind::kText, "assert query <seqfile> is in format <s>: no autodetection"},
    {"--tformat", Kind::kText, "assert target <seqdb> is in format <s>>: no autodetection"},
    kCpu,
};

constexpr EaselGroup kHmmsearchGroups[] = {
    {"Basic options:", kBasic},
    {"Options directing output:", kHmmsearchOutput},
    {"Options controlling reporting thresholds:", kReporting},
    {"Options controlling inclusion (significance) thresholds:", kInclusion},
    {"Options controlling model-specific thresholding:", kCutoffs},
    {"Options controlling acceleration heuristics:", kAcceleration},
    {"Other expert options:", kHmmsearchExpert},
};

constexpr EaselGroup kPhmmerGroups[] = {
    {"Basic options:", kBasic},
    {"Options directing output:", kPhmmerOutput},
    {"Options controlling scoring system:", kScoring},
    {"Options controlling reporting thresholds:", kReporting},
    {"Options controlling inclusion (significance) thresholds:", kInclusion},
    {"Options controlling acceleration heuristics:", kAcceleration},
    {"Options controlling E value calibration:", kCalibration},
    {"Other expert options:", kPhmmerExpert},
};

}  // namespace

constinit const HmmerSearchProgram kHmmsearch = {
    .program = {.name = "hmmsearch",
                .banner = "search profile(s) against a sequence database",
                .usage = "[options] <hmmfile> <seqdb>",
                .brief_title = "where most common options are:",
                .groups = kHmmsearchGroups,
                .has_bare_parse_failures = true},
    .query_argument = "<hmmfile>",
    .takes_profiles = true,
    .alignment_label = "MSA of all hits saved to file:",
    .query_format_label = "",
    .target_format_label = "targ <seqfile> format asserted:",
};

constinit const HmmerSearchProgram kPhmmer = {
    .program = {.name = "phmmer",
                .banner = "search a protein sequence against a protein database",
                .usage = "[-options] <seqfile> <seqdb>",
                .brief_title = "where basic options are:",
                .groups = kPhmmerGroups},
    .query_argument = "<seqfile>",
    .takes_profiles = false,
    .alignment_label = "MSA of hits saved to file:",
    .query_format_label = "query <seqfile> format asserted:",
    .target_format_label = "target <seqdb> format asserted:",
};

}  // namespace warpseq
