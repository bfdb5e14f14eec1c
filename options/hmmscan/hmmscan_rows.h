// Rows of the options of `search hmmscan` and hmmscan.
#pragma once

#include "options/hmm/hmm_rows.h"

namespace warpseq::hmmscan_rows {

using namespace hmm_rows;

inline constexpr auto kModelReporting = std::to_array<OptionRow>({
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
});
inline constexpr auto kScanReporting = joined(kModelReporting, domain_reporting_rows("score >= "));

inline constexpr auto kModelInclusion = std::to_array<OptionRow>({
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
});
inline constexpr auto kScanInclusion = joined(kModelInclusion, domain_inclusion_rows("0.01"));

inline constexpr auto kScanFilter =
    filter_rows("MSV threshold: promote hits w/ P <= F1", "Vit threshold: promote hits w/ P <= F2",
                "Fwd threshold: promote hits w/ P <= F3");

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
