// Rows of options that several profile commands share, in warpseq's dialect and in HMMER's. They
// include all rows of `search hmm` (hmmsearch and phmmer).
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string_view>

#include "options/easel_options.h"
#include "options/option_row.h"
#include "options/search/table_header.h"

namespace warpseq::hmm_rows {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr OptionRange kAboveZero = {.text = "x>0", .least = 0, .without_least = true};
inline constexpr OptionRange kBetween0And1 = {
    .text = "0<x<1", .least = 0, .most = 1, .without_least = true, .without_most = true};
inline constexpr OptionRange kBelow1 = {.text = "0<=x<1", .least = 0, .most = 1, .without_most = true};
inline constexpr OptionRange kBelowHalf = {.text = "0<=x<0.5", .least = 0, .most = 0.5, .without_most = true};
inline constexpr OptionRange kPositive = {.text = "n>0", .least = 1, .most = kInfinity};
inline constexpr OptionRange kNotNegative = {.text = "n>=0", .least = 0, .most = kInfinity};
inline constexpr OptionRange kTextWidth = {.text = "n>=120", .least = 120, .most = kInfinity};

/// Returns the rows of all parts, in order.
template <std::size_t... kSizes>
constexpr auto joined(const std::array<OptionRow, kSizes>&... parts) {
    std::array<OptionRow, (kSizes + ...)> all{};
    std::size_t end = 0;
    const auto add = [&](const auto& part) {
        for (const OptionRow& row : part) all[end++] = row;
    };
    (add(parts), ...);
    return all;
}

inline constexpr auto kHelp = std::to_array<OptionRow>({{.easel = {"-h", "show brief help on version and usage"}}});

inline constexpr auto kReport =
    std::to_array<OptionRow>({{.type = OptionType::kFile, .easel = {"-o", "direct output to file <f>, not stdout"}}});

inline constexpr auto kFormat = std::to_array<OptionRow>({
    {.type = OptionType::kText,
     .standard = "0",
     .warpseq = {"outfmt", "FORMAT",
                 "0 HMMER's report, 6 a tab-separated row for each domain, 7 the same with comments, 10 "
                 "comma-separated, json; 6, 7 and 10 take field names: \"6 std cevalue envstart envend\""}},
    {.warpseq = {"header", "", kTableHeaderHelp}},
});

/// Returns the rows about alignments. `help` is the help text of HMMER's program.
constexpr auto alignment_rows(std::string_view help) {
    return std::to_array<OptionRow>({
        {.type = OptionType::kFile,
         .warpseq = {"A", "FILE", "write an alignment of all included domains"},
         .easel = {"-A", help},
         .report = {"MSA of all hits saved to file:"}},
    });
}
inline constexpr auto kAlignmentFormat = std::to_array<OptionRow>({{
    .type = OptionType::kText,
    .warpseq = {"aformat", "FORMAT",
                "stockholm (default), pfam, a2m, a3m, psiblast, selex, afa, clustal, clustallike, phylip or phylips"},
}});

/// Rows for tables and for the look of the report.
inline constexpr auto kOutput = std::to_array<OptionRow>({
    {.type = OptionType::kFile,
     .warpseq = {"tblout", "FILE", "write a table of targets"},
     .easel = {"--tblout", "save parseable table of per-sequence hits to file <f>"},
     .report = {"per-seq hits tabular output:"}},
    {.type = OptionType::kFile,
     .warpseq = {"domtblout", "FILE", "write a table of domains"},
     .easel = {"--domtblout", "save parseable table of per-domain hits to file <f>"},
     .report = {"per-dom hits tabular output:"}},
    {.type = OptionType::kFile,
     .warpseq = {"pfamtblout", "FILE", "write a table of targets and one of domains, in Pfam's layout"},
     .easel = {"--pfamtblout", "save table of hits and domains to file, in Pfam format <f>"},
     .report = {"pfam-style tabular hit output:"}},
    {.warpseq = {"acc", "", "show accessions of profiles instead of names where there are any"},
     .easel = {"--acc", "prefer accessions over names in output"},
     .report = {"prefer accessions over names:", "yes"}},
    {.warpseq = {"noali", "", "show no alignments"},
     .easel = {"--noali", "don't output alignments, so output is smaller"},
     .report = {"show alignments in output:", "no"}},
    {.excludes = "--textw",
     .warpseq = {"notextw", "", "lines of any length"},
     .easel = {"--notextw", "unlimit ASCII text output line width"},
     .report = {"max ASCII text line length:", "unlimited"}},
    {.type = OptionType::kInteger,
     .standard = "120",
     .range = kTextWidth,
     .excludes = "--notextw",
     .warpseq = {"textw", "N", "lines of at most N characters, at least 120"},
     .easel = {"--textw", "set max width of ASCII text output lines"},
     .report = {"max ASCII text line length:", "", ReportedNumber::kWhole}},
});

/// Rows for making a profile from a sequence.
inline constexpr auto kSequence = std::to_array<OptionRow>({
    {.type = OptionType::kReal,
     .standard = "0.02",
     .range = kBelowHalf,
     .warpseq = {"popen", "P", "probability of opening a gap, below 0.5"},
     .easel = {"--popen", "gap open probability"},
     .report = {"gap open probability:", "", ReportedNumber::kFixed}},
    {.type = OptionType::kReal,
     .standard = "0.4",
     .range = kBelow1,
     .warpseq = {"pextend", "P", "probability of extending a gap, below 1"},
     .easel = {"--pextend", "gap extend probability"},
     .report = {"gap extend probability:", "", ReportedNumber::kFixed}},
    {.type = OptionType::kText,
     .standard = "BLOSUM62",
     .excludes = "--mxfile",
     .warpseq = {"mx", "NAME", "substitution matrix: BLOSUM45, 50, 62, 80, 90, PAM30, 70, 120, 240, 250, IDENTITY"},
     .easel = {"--mx", "substitution score matrix choice (of some built-in matrices)"},
     .report = {"subst score matrix (built-in):"}},
    {.type = OptionType::kFile,
     .excludes = "--mx",
     .warpseq = {"mxfile", "FILE", "substitution matrix in NCBI's format"},
     .easel = {"--mxfile", "read substitution score matrix from file <f>"},
     .report = {"subst score matrix (file):"}},
});

inline constexpr std::string_view kSequenceLimits = "-E,-T,--cut_ga,--cut_nc,--cut_tc";
inline constexpr std::string_view kDomainLimits = "--domE,--domT,--cut_ga,--cut_nc,--cut_tc";
/// Returns the rows about domains that are reported. `score` is the text before a score in reports.
constexpr auto domain_reporting_rows(std::string_view score) {
    return std::to_array<OptionRow>({
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
         .report = {"domain reporting threshold:", score, ReportedNumber::kGeneral}},
    });
}
/// Returns the rows about sequences that are reported.
constexpr auto sequence_reporting_rows(std::string_view score) {
    return std::to_array<OptionRow>({
        {.type = OptionType::kReal,
         .standard = "10.0",
         .range = kAboveZero,
         .excludes = kSequenceLimits,
         .warpseq = {"E,evalue", "X", "report targets up to this E-value"},
         .easel = {"-E", "report sequences <= this E-value threshold in output"},
         .report = {"sequence reporting threshold:", "E-value <= ", ReportedNumber::kGeneral}},
        {.type = OptionType::kReal,
         .excludes = kSequenceLimits,
         .warpseq = {"T", "X", "report targets from this score in bits on"},
         .easel = {"-T", "report sequences >= this score threshold in output"},
         .report = {"sequence reporting threshold:", score, ReportedNumber::kGeneral}},
    });
}
inline constexpr auto kReporting = joined(sequence_reporting_rows("score >= "), domain_reporting_rows("score >= "));

inline constexpr std::string_view kInclusionLimits = "--incE,--incT,--cut_ga,--cut_nc,--cut_tc";
inline constexpr std::string_view kDomainInclusionLimits = "--incdomE,--incdomT,--cut_ga,--cut_nc,--cut_tc";
/// Returns the rows about domains that are included. `evalue` is the default of the E-value.
constexpr auto domain_inclusion_rows(const char* evalue) {
    return std::to_array<OptionRow>({
        {.type = OptionType::kReal,
         .standard = evalue,
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
}
/// Returns the rows about sequences that are included.
constexpr auto sequence_inclusion_rows(const char* evalue) {
    return std::to_array<OptionRow>({
        {.type = OptionType::kReal,
         .standard = evalue,
         .range = kAboveZero,
         .excludes = kInclusionLimits,
         .warpseq = {"incE", "X", "include targets up to this E-value"},
         .easel = {"--incE", "consider sequences <= this E-value threshold as significant"},
         .report = {"sequence inclusion threshold:", "E-value <= ", ReportedNumber::kGeneral}},
        {.type = OptionType::kReal,
         .excludes = kInclusionLimits,
         .warpseq = {"incT", "X", "include targets from this score in bits on"},
         .easel = {"--incT", "consider sequences >= this score threshold as significant"},
         .report = {"sequence inclusion threshold:", "score >= ", ReportedNumber::kGeneral}},
    });
}
inline constexpr auto kInclusion = joined(sequence_inclusion_rows("0.01"), domain_inclusion_rows("0.01"));

inline constexpr std::string_view kLimits =
    "-E,-T,--domE,--domT,--incE,--incT,--incdomE,--incdomT,--cut_ga,--cut_nc,--cut_tc";
inline constexpr auto kCutoff = std::to_array<OptionRow>({
    {.excludes = kLimits,
     .warpseq = {"cut_ga", "", "report and include by each profile's own gathering cutoffs (GA)"},
     .easel = {"--cut_ga", "use profile's GA gathering cutoffs to set all thresholding"},
     .report = {"model-specific thresholding:", "GA cutoffs"}},
    {.excludes = kLimits,
     .warpseq = {"cut_nc", "", "the same by its noise cutoffs (NC)"},
     .easel = {"--cut_nc", "use profile's NC noise cutoffs to set all thresholding"},
     .report = {"model-specific thresholding:", "NC cutoffs"}},
    {.excludes = kLimits,
     .warpseq = {"cut_tc", "", "the same by its trusted cutoffs (TC)"},
     .easel = {"--cut_tc", "use profile's TC trusted cutoffs to set all thresholding"},
     .report = {"model-specific thresholding:", "TC cutoffs"}},
});

/// Returns the rows about filters. `msv`, `viterbi` and `forward` are the help texts of HMMER's
/// program for the thresholds of these filters.
constexpr auto filter_rows(std::string_view msv, std::string_view viterbi, std::string_view forward) {
    return std::to_array<OptionRow>({
        {.excludes = "--F1,--F2,--F3",
         .warpseq = {"max", "", "no filters: slower, and a few more weak hits"},
         .easel = {"--max", "Turn all heuristic filters off (less speed, more power)"},
         .report = {"Max sensitivity mode:", "on [all heuristic filters off]"}},
        {.type = OptionType::kReal,
         .standard = "0.02",
         .excludes = "--max",
         .warpseq = {"F1", "P", "P-value up to which a target passes the MSV filter"},
         .easel = {"--F1", msv},
         .report = {"MSV filter P threshold:       <=", "", ReportedNumber::kGeneral}},
        {.type = OptionType::kReal,
         .standard = "1e-3",
         .excludes = "--max",
         .warpseq = {"F2", "P", "the same for the Viterbi filter"},
         .easel = {"--F2", viterbi},
         .report = {"Vit filter P threshold:       <=", "", ReportedNumber::kGeneral}},
        {.type = OptionType::kReal,
         .standard = "1e-5",
         .excludes = "--max",
         .warpseq = {"F3", "P", "the same for the Forward score"},
         .easel = {"--F3", forward},
         .report = {"Fwd filter P threshold:       <=", "", ReportedNumber::kGeneral}},
        {.excludes = "--max",
         .warpseq = {"nobias", "", "no filter of targets of biased composition"},
         .easel = {"--nobias", "turn off composition bias filter"},
         .report = {"biased composition HMM filter:", "off"}},
    });
}
inline constexpr auto kFilter =
    filter_rows("Stage 1 (MSV) threshold: promote hits w/ P <= F1", "Stage 2 (Vit) threshold: promote hits w/ P <= F2",
                "Stage 3 (Fwd) threshold: promote hits w/ P <= F3");

inline constexpr auto kCalibration = std::to_array<OptionRow>({
    {.type = OptionType::kInteger,
     .standard = "200",
     .range = kPositive,
     .warpseq = {"EmL", "N", "length of random sequences that mu of MSV scores is fitted to"},
     .easel = {"--EmL", "length of sequences for MSV Gumbel mu fit"},
     .report = {"seq length, MSV Gumbel mu fit:", "", ReportedNumber::kWhole}},
    {.type = OptionType::kInteger,
     .standard = "200",
     .range = kPositive,
     .warpseq = {"EmN", "N", "number of these sequences"},
     .easel = {"--EmN", "number of sequences for MSV Gumbel mu fit"},
     .report = {"seq number, MSV Gumbel mu fit:", "", ReportedNumber::kWhole}},
    {.type = OptionType::kInteger,
     .standard = "200",
     .range = kPositive,
     .warpseq = {"EvL", "N", "length of random sequences that mu of Viterbi scores is fitted to"},
     .easel = {"--EvL", "length of sequences for Viterbi Gumbel mu fit"},
     .report = {"seq length, Vit Gumbel mu fit:", "", ReportedNumber::kWhole}},
    {.type = OptionType::kInteger,
     .standard = "200",
     .range = kPositive,
     .warpseq = {"EvN", "N", "number of these sequences"},
     .easel = {"--EvN", "number of sequences for Viterbi Gumbel mu fit"},
     .report = {"seq number, Vit Gumbel mu fit:", "", ReportedNumber::kWhole}},
    {.type = OptionType::kInteger,
     .standard = "100",
     .range = kPositive,
     .warpseq = {"EfL", "N", "length of random sequences that tau of Forward scores is fitted to"},
     .easel = {"--EfL", "length of sequences for Forward exp tail tau fit"},
     .report = {"seq length, Fwd exp tau fit:", "", ReportedNumber::kWhole}},
    {.type = OptionType::kInteger,
     .standard = "200",
     .range = kPositive,
     .warpseq = {"EfN", "N", "number of these sequences"},
     .easel = {"--EfN", "number of sequences for Forward exp tail tau fit"},
     .report = {"seq number, Fwd exp tau fit:", "", ReportedNumber::kWhole}},
    {.type = OptionType::kReal,
     .standard = "0.04",
     .range = kBetween0And1,
     .warpseq = {"Eft", "P", "probability of the tail of Forward scores that tau is fitted to"},
     .easel = {"--Eft", "tail mass for Forward exponential tail tau fit"},
     .report = {"tail mass for Fwd exp tau fit:", "", ReportedNumber::kFixed}},
});

inline constexpr auto kNull2 = std::to_array<OptionRow>({
    {.warpseq = {"nonull2", "", "no correction of scores for biased composition"},
     .easel = {"--nonull2", "turn off biased composition score corrections"},
     .report = {"null2 bias corrections:", "off"}},
});

inline constexpr auto kStatistics = std::to_array<OptionRow>({
    {.type = OptionType::kReal,
     .range = kAboveZero,
     .warpseq = {"Z", "X", "number of targets that E-values are computed for; default: as many as there are"},
     .easel = {"-Z", "set # of comparisons done, for E-value calculation"},
     .report = {"sequence search space set to:", "", ReportedNumber::kWhole}},
    {.type = OptionType::kReal,
     .range = kAboveZero,
     .warpseq = {"domZ", "X", "the same for conditional E-values of domains; default: targets reported"},
     .easel = {"--domZ", "set # of significant seqs, for domain E-value calculation"},
     .report = {"domain search space set to:", "", ReportedNumber::kWhole}},
    {.type = OptionType::kInteger,
     .standard = "42",
     .range = kNotNegative,
     .warpseq = {"seed", "N", "seed of random numbers: sampling of domains, calibration; 0: another one in each run"},
     .easel = {"--seed", "set RNG seed to <n> (if 0: one-time arbitrary seed)"},
     .report = {"random number seed set to:", "", ReportedNumber::kWhole}},
});

inline constexpr auto kWorkers = std::to_array<OptionRow>({
    {.type = OptionType::kInteger,
     .standard = "2",
     .range = kNotNegative,
     .easel = {"--cpu", "number of parallel CPU workers to use for multithreads", "HMMER_NCPU"}},
});

inline constexpr auto kHmmsearchFormats =
    std::to_array<OptionRow>({{.type = OptionType::kText,
                               .easel = {"--tformat", "assert target <seqfile> is in format <s>: no autodetection"}}});
inline constexpr auto kSequenceFormats = std::to_array<OptionRow>({
    {.type = OptionType::kText, .easel = {"--qformat", "assert query <seqfile> is in format <s>: no autodetection"}},
    {.type = OptionType::kText, .easel = {"--tformat", "assert target <seqdb> is in format <s>>: no autodetection"}},
});

/// The options of hmmsearch and phmmer, which their helps leave out, that restrict the targets.
inline constexpr auto kRestriction = std::to_array<OptionRow>({
    {.type = OptionType::kText,
     .standard = "0",
     .easel = {.name = "--restrictdb_stkey", .is_hidden = true},
     .report = {"Restrict db to start at seq key:"}},
    {.type = OptionType::kInteger,
     .standard = "-1",
     .easel = {.name = "--restrictdb_n", .is_hidden = true},
     .report = {"Restrict db to # target seqs:"}},
    {.type = OptionType::kText, .easel = {.name = "--ssifile", .is_hidden = true}, .report = {"Override ssi file to:"}},
});

inline constexpr auto kHmmsearchOutput =
    joined(kReport, alignment_rows("save multiple alignment of all hits to file <f>"), kOutput);
inline constexpr auto kHmmsearchExpert = joined(kNull2, kStatistics, kHmmsearchFormats, kWorkers, kRestriction);
inline constexpr EaselGroup kHmmsearchGroups[] = {
    {"Basic options:", kHelp},
    {"Options directing output:", kHmmsearchOutput},
    {"Options controlling reporting thresholds:", kReporting},
    {"Options controlling inclusion (significance) thresholds:", kInclusion},
    {"Options controlling model-specific thresholding:", kCutoff},
    {"Options controlling acceleration heuristics:", kFilter},
    {"Other expert options:", kHmmsearchExpert},
};

inline constexpr auto kPhmmerOutput =
    joined(kReport, alignment_rows("save multiple alignment of hits to file <f>"), kOutput);
inline constexpr auto kPhmmerExpert = joined(kNull2, kStatistics, kSequenceFormats, kWorkers, kRestriction);
inline constexpr EaselGroup kPhmmerGroups[] = {
    {"Basic options:", kHelp},
    {"Options directing output:", kPhmmerOutput},
    {"Options controlling scoring system:", kSequence},
    {"Options controlling reporting thresholds:", kReporting},
    {"Options controlling inclusion (significance) thresholds:", kInclusion},
    {"Options controlling acceleration heuristics:", kFilter},
    {"Options controlling E value calibration:", kCalibration},
    {"Other expert options:", kPhmmerExpert},
};

}  // namespace warpseq::hmm_rows
