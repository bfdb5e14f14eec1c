// Options that several of HMMER 3.3.2's programs have, as tables.
#pragma once

#include <array>
#include <limits>
#include <string_view>

#include "options/easel_options.h"

namespace warpseq::hmmer_tables {

using Kind = EaselOption::Kind;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr EaselRange kAny = {};
inline constexpr EaselRange kAboveZero = {.text = "x>0", .least = 0, .without_least = true};
inline constexpr EaselRange kBetween0And1 = {
    .text = "0<x<1", .least = 0, .most = 1, .without_least = true, .without_most = true};
inline constexpr EaselRange kBelow1 = {.text = "0<=x<1", .least = 0, .most = 1, .without_most = true};
inline constexpr EaselRange kBelowHalf = {.text = "0<=x<0.5", .least = 0, .most = 0.5, .without_most = true};
inline constexpr EaselRange kPositive = {.text = "n>0", .least = 1, .most = kInfinity};
inline constexpr EaselRange kNotNegative = {.text = "n>=0", .least = 0, .most = kInfinity};
inline constexpr EaselRange kTextWidth = {.text = "n>=120", .least = 120, .most = kInfinity};

inline constexpr EaselOption kBasic[] = {{"-h", Kind::kSwitch, "show brief help on version and usage"}};

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
inline constexpr EaselOption kScoring[] = {
    {"--popen", Kind::kReal, "gap open probability", "0.02", kBelowHalf},
    {"--pextend", Kind::kReal, "gap extend probability", "0.4", kBelow1},
    {"--mx", Kind::kText, "substitution score matrix choice (of some built-in matrices)", "BLOSUM62", kAny, "--mxfile"},
    {"--mxfile", Kind::kFile, "read substitution score matrix from file <f>", "", kAny, "--mx"},
};

inline constexpr std::string_view kSequenceLimits = "-E,-T,--cut_ga,--cut_nc,--cut_tc";
inline constexpr std::string_view kDomainLimits = "--domE,--domT,--cut_ga,--cut_nc,--cut_tc";
inline constexpr EaselOption kReporting[] = {
    {"-E", Kind::kReal, "report sequences <= this E-value threshold in output", "10.0", kAboveZero, kSequenceLimits},
    {"-T", Kind::kReal, "report sequences >= this score threshold in output", "", kAny, kSequenceLimits},
    {"--domE", Kind::kReal, "report domains <= this E-value threshold in output", "10.0", kAboveZero, kDomainLimits},
    {"--domT", Kind::kReal, "report domains >= this score cutoff in output", "", kAny, kDomainLimits},
};

inline constexpr std::string_view kInclusionLimits = "--incE,--incT,--cut_ga,--cut_nc,--cut_tc";
inline constexpr std::string_view kDomainInclusionLimits = "--incdomE,--incdomT,--cut_ga,--cut_nc,--cut_tc";
/// `standard` E-values: those of sequences and of domains.
constexpr auto inclusion_options(std::string_view standard) {
    return std::to_array<EaselOption>({
        {"--incE", Kind::kReal, "consider sequences <= this E-value threshold as significant", standard, kAboveZero,
         kInclusionLimits},
        {"--incT", Kind::kReal, "consider sequences >= this score threshold as significant", "", kAny,
         kInclusionLimits},
        {"--incdomE", Kind::kReal, "consider domains <= this E-value threshold as significant", standard, kAboveZero,
         kDomainInclusionLimits},
        {"--incdomT", Kind::kReal, "consider domains >= this score threshold as significant", "", kAny,
         kDomainInclusionLimits},
    });
}
inline constexpr auto kInclusion = inclusion_options("0.01");

inline constexpr std::string_view kLimits =
    "-E,-T,--domE,--domT,--incE,--incT,--incdomE,--incdomT,--cut_ga,--cut_nc,--cut_tc";
inline constexpr EaselOption kCutoffs[] = {
    {"--cut_ga", Kind::kSwitch, "use profile's GA gathering cutoffs to set all thresholding", "", kAny, kLimits},
    {"--cut_nc", Kind::kSwitch, "use profile's NC noise cutoffs to set all thresholding", "", kAny, kLimits},
    {"--cut_tc", Kind::kSwitch, "use profile's TC trusted cutoffs to set all thresholding", "", kAny, kLimits},
};

inline constexpr EaselOption kAcceleration[] = {
    {"--max", Kind::kSwitch, "Turn all heuristic filters off (less speed, more power)", "", kAny, "--F1,--F2,--F3"},
    {"--F1", Kind::kReal, "Stage 1 (MSV) threshold: promote hits w/ P <= F1", "0.02", kAny, "--max"},
    {"--F2", Kind::kReal, "Stage 2 (Vit) threshold: promote hits w/ P <= F2", "1e-3", kAny, "--max"},
    {"--F3", Kind::kReal, "Stage 3 (Fwd) threshold: promote hits w/ P <= F3", "1e-5", kAny, "--max"},
    {"--nobias", Kind::kSwitch, "turn off composition bias filter", "", kAny, "--max"},
};

inline constexpr EaselOption kCalibration[] = {
    {"--EmL", Kind::kInteger, "length of sequences for MSV Gumbel mu fit", "200", kPositive},
    {"--EmN", Kind::kInteger, "number of sequences for MSV Gumbel mu fit", "200", kPositive},
    {"--EvL", Kind::kInteger, "length of sequences for Viterbi Gumbel mu fit", "200", kPositive},
    {"--EvN", Kind::kInteger, "number of sequences for Viterbi Gumbel mu fit", "200", kPositive},
    {"--EfL", Kind::kInteger, "length of sequences for Forward exp tail tau fit", "100", kPositive},
    {"--EfN", Kind::kInteger, "number of sequences for Forward exp tail tau fit", "200", kPositive},
    {"--Eft", Kind::kReal, "tail mass for Forward exponential tail tau fit", "0.04", kBetween0And1},
};

inline constexpr EaselOption kNonull2 = {"--nonull2", Kind::kSwitch, "turn off biased composition score corrections"};
inline constexpr EaselOption kZ = {"-Z", Kind::kReal, "set # of comparisons done, for E-value calculation", "",
                                   kAboveZero};
inline constexpr EaselOption kDomZ = {"--domZ", Kind::kReal,
                                      "set # of significant seqs, for domain E-value calculation", "", kAboveZero};
inline constexpr EaselOption kSeed = {"--seed", Kind::kInteger, "set RNG seed to <n> (if 0: one-time arbitrary seed)",
                                      "42", kNotNegative};
inline constexpr EaselOption kCpu = {
    "--cpu", Kind::kInteger, "number of parallel CPU workers to use for multithreads", "2", kNotNegative,
    "",      "HMMER_NCPU"};

}  // namespace warpseq::hmmer_tables
