// Rows of the options of `search hmmscan` and hmmscan.
#pragma once

#include "options/hmm/hmm_rows.h"

namespace warpseq::hmmscan_rows {

using namespace hmm_rows;

inline constexpr auto kScanReporting = std::to_array<OptionRow>({
    {.type = OptionType::kReal,
     .standard = "10.0",
     .range = kAboveZero,
     .excludes = kSequenceLimits,
     .warpseq = {"E,evalue", "X", "report profiles up to this E-value"},
     .easel = {"-E", "report models <= this E-value threshold in output"},
     .report = {"profile reporting threshold:", "E-value <= ", ReportedNumber::kGeneral}},
    {.type = OptionType::kReal,
     .excludes = kSequenceLimits,
     .warpseq = {"T", "X", "report profiles from this score in bits on"},
     .easel = {"-T", "report models >= this score threshold in output"},
     .report = {"profile reporting threshold:", "score >= ", ReportedNumber::kGeneral}},
    {.type = OptionType::kReal,
     .standard = "10.0",
     .range = kAboveZero,
     .excludes = kDomainLimits,
     .warpseq = {"domE", "X", "report domains up to this conditional E-value"},
     .easel = {"--domE", "report domains <= this E-value threshold in output"},
     .report = {"domain reporting threshold:", "E-value <= ", ReportedNumber::kGeneral}},
    {.type = OptionType::kReal,
     .excludes = kDomainLimits,
     .warpseq = {"domT", "X", "report domains from this score in bits on"},
     .easel = {"--domT", "report domains >= this score cutoff in output"},
     .report = {"domain reporting threshold:", "score >= ", ReportedNumber::kGeneral}},
});

inline constexpr auto kScanInclusion = std::to_array<OptionRow>({
    {.type = OptionType::kReal,
     .standard = "0.01",
     .range = kAboveZero,
     .excludes = kInclusionLimits,
     .warpseq = {"incE", "X", "include profiles up to this E-value"},
     .easel = {"--incE", "consider models <= this E-value threshold as significant"},
     .report = {"profile inclusion threshold:", "E-value <= ", ReportedNumber::kGeneral}},
    {.type = OptionType::kReal,
     .excludes = kInclusionLimits,
     .warpseq = {"incT", "X", "include profiles from this score in bits on"},
     .easel = {"--incT", "consider models >= this score threshold as significant"},
     .report = {"profile inclusion threshold:", "score >= ", ReportedNumber::kGeneral}},
    {.type = OptionType::kReal,
     .standard = "0.01",
     .range = kAboveZero,
     .excludes = kDomainInclusionLimits,
     .warpseq = {"incdomE", "X", "include domains up to this conditional E-value"},
     .easel = {"--incdomE", "consider domains <= this E-value threshold as significant"},
     .report = {"domain inclusion threshold:", "E-value <= ", ReportedNumber::kGeneral}},
    {.type = OptionType::kReal,
     .excludes = kDomainInclusionLimits,
     .warpseq = {"incdomT", "X", "include domains from this score in bits on"},
     .easel = {"--incdomT", "consider domains >= this score threshold as significant"},
     .report = {"domain inclusion threshold:", "score >= ", ReportedNumber::kGeneral}},
});

inline constexpr auto kScanFilter = std::to_array<OptionRow>({
    {.excludes = "--F1,--F2,--F3",
     .warpseq = {"max", "", "no filters: slower, and a few more weak hits"},
     .easel = {"--max", "Turn all heuristic filters off (less speed, more power)"},
     .report = {"Max sensitivity mode:", "on [all heuristic filters off]"}},
    {.type = OptionType::kReal,
     .standard = "0.02",
     .excludes = "--max",
     .warpseq = {"F1", "P", "P-value up to which a target passes the MSV filter"},
     .easel = {"--F1", "MSV threshold: promote hits w/ P <= F1"},
     .report = {"MSV filter P threshold:       <=", "", ReportedNumber::kGeneral}},
    {.type = OptionType::kReal,
     .standard = "1e-3",
     .excludes = "--max",
     .warpseq = {"F2", "P", "the same for the Viterbi filter"},
     .easel = {"--F2", "Vit threshold: promote hits w/ P <= F2"},
     .report = {"Vit filter P threshold:       <=", "", ReportedNumber::kGeneral}},
    {.type = OptionType::kReal,
     .standard = "1e-5",
     .excludes = "--max",
     .warpseq = {"F3", "P", "the same for the Forward score"},
     .easel = {"--F3", "Fwd threshold: promote hits w/ P <= F3"},
     .report = {"Fwd filter P threshold:       <=", "", ReportedNumber::kGeneral}},
    {.excludes = "--max",
     .warpseq = {"nobias", "", "no filter of targets of biased composition"},
     .easel = {"--nobias", "turn off composition bias filter"},
     .report = {"biased composition HMM filter:", "off"}},
});

inline constexpr auto kSequenceFormat = std::to_array<OptionRow>(
    {{.type = OptionType::kText, .easel = {"--qformat", "assert input <seqfile> is in format <s>: no autodetection"}}});

inline constexpr auto kAllOutput = joined(kReport, kOutput);
inline constexpr auto kExpert = joined(kNull2, kStatistics, kSequenceFormat, kWorkers);
inline constexpr EaselGroup kGroups[] = {
    {"Basic options:", kHelp},
    {"Options controlling output:", kAllOutput},
    {"Options controlling reporting thresholds:", kScanReporting},
    {"Options controlling inclusion (significance) thresholds:", kScanInclusion},
    {"Options for model-specific thresholding:", kCutoff},
    {"Options controlling acceleration heuristics:", kScanFilter},
    {"Other expert options:", kExpert},
};

}  // namespace warpseq::hmmscan_rows
