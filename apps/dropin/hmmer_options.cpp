#include "apps/dropin/hmmer_options.h"

#include <array>
#include <string>

namespace warpseq {
namespace {

using Kind = EaselOption::Kind;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr EaselRange kAny = {};
constexpr EaselRange kAboveZero = {.text = "x>0", .least = 0, .without_least = true};
constexpr EaselRange kBetween0And1 = {
    .text = "0<x<1", .least = 0, .most = 1, .without_least = true, .without_most = true};
constexpr EaselRange kBelow1 = {.text = "0<=x<1", .least = 0, .most = 1, .without_most = true};
constexpr EaselRange kBelowHalf = {.text = "0<=x<0.5", .least = 0, .most = 0.5, .without_most = true};
constexpr EaselRange kPositive = {.text = "n>0", .least = 1, .most = kInfinity};
constexpr EaselRange kNotNegative = {.text = "n>=0", .least = 0, .most = kInfinity};
constexpr EaselRange kTextWidth = {.text = "n>=120", .least = 120, .most = kInfinity};

constexpr EaselOption kBasic[] = {{"-h", Kind::kSwitch, "show brief help on version and usage"}};

constexpr auto output_options(std::string_view alignment_help) {
    return std::to_array<EaselOption>({
        {"-o", Kind::kFile, "direct output to file <f>, not stdout"},
        {"-A", Kind::kFile, alignment_help},
        {"--tblout", Kind::kFile, "save parseable table of per-sequence hits to file <f>"},
        {"--domtblout", Kind::kFile, "save parseable table of per-domain hits to file <f>"},
        {"--pfamtblout", Kind::kFile, "save table of hits and domains to file, in Pfam format <f>"},
        {"--acc", Kind::kSwitch, "prefer accessions over names in output"},
        {"--noali", Kind::kSwitch, "don't output alignments, so output is smaller"},
        {"--notextw", Kind::kSwitch, "unlimit ASCII text output line width", "", kAny, "--textw"},
        {"--textw", Kind::kInteger, "set max width of ASCII text output lines", "120", kTextWidth, "--notextw"},
    });
}
constexpr auto kHmmsearchOutput = output_options("save multiple alignment of all hits to file <f>");
constexpr auto kPhmmerOutput = output_options("save multiple alignment of hits to file <f>");

constexpr EaselOption kScoring[] = {
    {"--popen", Kind::kReal, "gap open probability", "0.02", kBelowHalf},
    {"--pextend", Kind::kReal, "gap extend probability", "0.4", kBelow1},
    {"--mx", Kind::kText, "substitution score matrix choice (of some built-in matrices)", "BLOSUM62", kAny, "--mxfile"},
    {"--mxfile", Kind::kFile, "read substitution score matrix from file <f>", "", kAny, "--mx"},
};

constexpr std::string_view kSequenceLimits = "-E,-T,--cut_ga,--cut_nc,--cut_tc";
constexpr std::string_view kDomainLimits = "--domE,--domT,--cut_ga,--cut_nc,--cut_tc";
constexpr EaselOption kReporting[] = {
    {"-E", Kind::kReal, "report sequences <= this E-value threshold in output", "10.0", kAboveZero, kSequenceLimits},
    {"-T", Kind::kReal, "report sequences >= this score threshold in output", "", kAny, kSequenceLimits},
    {"--domE", Kind::kReal, "report domains <= this E-value threshold in output", "10.0", kAboveZero, kDomainLimits},
    {"--domT", Kind::kReal, "report domains >= this score cutoff in output", "", kAny, kDomainLimits},
};

constexpr std::string_view kInclusionLimits = "--incE,--incT,--cut_ga,--cut_nc,--cut_tc";
constexpr std::string_view kDomainInclusionLimits = "--incdomE,--incdomT,--cut_ga,--cut_nc,--cut_tc";
constexpr EaselOption kInclusion[] = {
    {"--incE", Kind::kReal, "consider sequences <= this E-value threshold as significant", "0.01", kAboveZero,
     kInclusionLimits},
    {"--incT", Kind::kReal, "consider sequences >= this score threshold as significant", "", kAny, kInclusionLimits},
    {"--incdomE", Kind::kReal, "consider domains <= this E-value threshold as significant", "0.01", kAboveZero,
     kDomainInclusionLimits},
    {"--incdomT", Kind::kReal, "consider domains >= this score threshold as significant", "", kAny,
     kDomainInclusionLimits},
};

constexpr std::string_view kLimits = "-E,-T,--domE,--domT,--incE,--incT,--incdomE,--incdomT,--cut_ga,--cut_nc,--cut_tc";
constexpr EaselOption kCutoffs[] = {
    {"--cut_ga", Kind::kSwitch, "use profile's GA gathering cutoffs to set all thresholding", "", kAny, kLimits},
    {"--cut_nc", Kind::kSwitch, "use profile's NC noise cutoffs to set all thresholding", "", kAny, kLimits},
    {"--cut_tc", Kind::kSwitch, "use profile's TC trusted cutoffs to set all thresholding", "", kAny, kLimits},
};

constexpr EaselOption kAcceleration[] = {
    {"--max", Kind::kSwitch, "Turn all heuristic filters off (less speed, more power)", "", kAny, "--F1,--F2,--F3"},
    {"--F1", Kind::kReal, "Stage 1 (MSV) threshold: promote hits w/ P <= F1", "0.02", kAny, "--max"},
    {"--F2", Kind::kReal, "Stage 2 (Vit) threshold: promote hits w/ P <= F2", "1e-3", kAny, "--max"},
    {"--F3", Kind::kReal, "Stage 3 (Fwd) threshold: promote hits w/ P <= F3", "1e-5", kAny, "--max"},
    {"--nobias", Kind::kSwitch, "turn off composition bias filter", "", kAny, "--max"},
};

constexpr EaselOption kCalibration[] = {
    {"--EmL", Kind::kInteger, "length of sequences for MSV Gumbel mu fit", "200", kPositive},
    {"--EmN", Kind::kInteger, "number of sequences for MSV Gumbel mu fit", "200", kPositive},
    {"--EvL", Kind::kInteger, "length of sequences for Viterbi Gumbel mu fit", "200", kPositive},
    {"--EvN", Kind::kInteger, "number of sequences for Viterbi Gumbel mu fit", "200", kPositive},
    {"--EfL", Kind::kInteger, "length of sequences for Forward exp tail tau fit", "100", kPositive},
    {"--EfN", Kind::kInteger, "number of sequences for Forward exp tail tau fit", "200", kPositive},
    {"--Eft", Kind::kReal, "tail mass for Forward exponential tail tau fit", "0.04", kBetween0And1},
};

constexpr EaselOption kNonull2 = {"--nonull2", Kind::kSwitch, "turn off biased composition score corrections"};
constexpr EaselOption kZ = {"-Z", Kind::kReal, "set # of comparisons done, for E-value calculation", "", kAboveZero};
constexpr EaselOption kDomZ = {"--domZ", Kind::kReal, "set # of significant seqs, for domain E-value calculation", "",
                               kAboveZero};
constexpr EaselOption kSeed = {"--seed", Kind::kInteger, "set RNG seed to <n> (if 0: one-time arbitrary seed)", "42",
                               kNotNegative};
constexpr EaselOption kCpu = {"--cpu",     Kind::kInteger, "number of parallel CPU workers to use for multithreads",
                              "2",         kNotNegative,   "",
                              "HMMER_NCPU"};
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
                .groups = kHmmsearchGroups},
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
