// Rows of the options of `search jackhmmer` and jackhmmer.
#pragma once

#include "options/hmm/hmm_rows.h"

namespace warpseq::jackhmmer_rows {

using namespace hmm_rows;

inline constexpr OptionRange kUpTo1 = {.text = "0<=x<=1", .least = 0, .most = 1};

inline constexpr auto kRounds = std::to_array<OptionRow>({
    {.type = OptionType::kInteger,
     .standard = "5",
     .range = kPositive,
     .warpseq = {"N", "N", "at most N rounds"},
     .easel = {"-N", "set maximum number of iterations to <n>"},
     .report = {"maximum iterations set to:", "", ReportedNumber::kWhole}},
});

inline constexpr auto kRoundFormat = std::to_array<OptionRow>({
    {.type = OptionType::kText,
     .standard = "0",
     .warpseq = {"outfmt", "FORMAT",
                 "0 HMMER's report; of the last round, 6 a tab-separated row for each domain, 7 the same with "
                 "comments, 10 comma-separated, json; 6, 7 and 10 take field names: \"6 std cevalue envstart "
                 "envend\""}},
    {.warpseq = {"header", "", kTableHeaderHelp}},
});

inline constexpr auto kRoundAlignment = std::to_array<OptionRow>({
    {.type = OptionType::kFile,
     .warpseq = {"A", "FILE", "write an alignment of the query and all included domains of the last round"},
     .easel = {"-A", "save multiple alignment of hits to file <f>"},
     .report = {"MSA of hits saved to file:"}},
});

// --seq_limit comes from a patched jackhmmer that AlphaFold 3 makes.
inline constexpr auto kRoundOutput = std::to_array<OptionRow>({
    {.type = OptionType::kFile,
     .warpseq = {"tblout", "FILE", "write a table of the last round's targets"},
     .easel = {"--tblout", "save parseable table of per-sequence hits to file <f>"},
     .report = {"per-seq hits tabular output:"}},
    {.type = OptionType::kFile,
     .warpseq = {"domtblout", "FILE", "write a table of the last round's domains"},
     .easel = {"--domtblout", "save parseable table of per-domain hits to file <f>"},
     .report = {"per-dom hits tabular output:"}},
    {.type = OptionType::kFile,
     .warpseq = {"chkhmm", "PREFIX", "write the profile of each round to PREFIX-ROUND.hmm"},
     .easel = {"--chkhmm", "save HMM checkpoints to files <f>-<iteration>.hmm"},
     .report = {"HMM checkpoint files output:", "", ReportedNumber::kText, "-<i>.hmm"}},
    {.type = OptionType::kFile,
     .warpseq = {"chkali", "PREFIX", "write the alignment of each round to PREFIX-ROUND.sto"},
     .easel = {"--chkali", "save alignment checkpoints to files <f>-<iteration>.sto"},
     .report = {"MSA checkpoint files output:", "", ReportedNumber::kText, "-<i>.sto"}},
    {.warpseq = {"acc", "", "show accessions instead of names where there are any"},
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
    {.type = OptionType::kInteger,
     .warpseq = {"seq_limit", "N", "only the N best targets of each round, each with all its domains"},
     .easel = {"--seq_limit", "if set, truncate all hits after this value is reached"},
     .report = {"set max sequence hits to return:", "", ReportedNumber::kWhole}},
});

// jackhmmer's reports say "score <=" here, where those of the other programs say ">=".
inline constexpr auto kRoundReporting =
    joined(sequence_reporting_rows("score <= "), domain_reporting_rows("score <= "));

inline constexpr auto kRoundInclusion = joined(sequence_inclusion_rows("0.001"), domain_inclusion_rows("0.001"));

inline constexpr auto kConstruction = std::to_array<OptionRow>({
    {.type = OptionType::kReal,
     .standard = "0.5",
     .range = kUpTo1,
     .warpseq = {"fragthresh", "X", "rows with residues in at most this part of the columns are fragments"},
     .easel = {"--fragthresh", "if L <= x*alen, tag sequence as a fragment"},
     .report = {"define fragments if <= x*alen:", "", ReportedNumber::kThreeDigits}},
});

inline constexpr std::string_view kWeightings = "--wgsc,--wblosum,--wpb,--wnone";
inline constexpr auto kWeights = std::to_array<OptionRow>({
    {.toggles = kWeightings,
     .is_on = true,
     .warpseq = {"wpb", "", "relative weights by Henikoff's position-based method (default)"},
     .easel = {"--wpb", "Henikoff position-based weights"}},
    {.toggles = kWeightings,
     .warpseq = {"wgsc", "", "the same from a tree, by Gerstein, Sonnhammer and Chothia"},
     .easel = {"--wgsc", "Gerstein/Sonnhammer/Chothia tree weights"},
     .report = {"relative weighting scheme:", "G/S/C"}},
    {.toggles = kWeightings,
     .warpseq = {"wblosum", "", "the same by clusters, as BLOSUM's"},
     .easel = {"--wblosum", "Henikoff simple filter weights"},
     .report = {"relative weighting scheme:", "BLOSUM filter"}},
    {.toggles = kWeightings,
     .warpseq = {"wnone", "", "no relative weights"},
     .easel = {"--wnone", "don't do any relative weighting; set all to 1"},
     .report = {"relative weighting scheme:", "none"}},
    {.type = OptionType::kReal,
     .standard = "0.62",
     .range = kUpTo1,
     .needs = "--wblosum",
     .warpseq = {"wid", "X", "identity of a cluster for --wblosum"},
     .easel = {"--wid", "for --wblosum: set identity cutoff"},
     .report = {"frac id cutoff for BLOSUM wgts:", "", ReportedNumber::kFixed}},
});

inline constexpr std::string_view kEffectiveNumbers = "--eent,--eentexp,--eclust,--eset,--enone";
inline constexpr auto kEffectiveNumber = std::to_array<OptionRow>({
    {.toggles = kEffectiveNumbers,
     .is_on = true,
     .warpseq = {"eent", "", "effective number of sequences by an aim for the relative entropy (default)"},
     .easel = {"--eent", "adjust eff seq # to achieve relative entropy target"}},
    {.toggles = kEffectiveNumbers,
     .is_on = true,
     .warpseq = {"eentexp", "", "the same with an exponent instead of a factor"},
     .easel = {"--eentexp", "adjust eff seq # to reach rel. ent. target using exp scaling"}},
    {.toggles = kEffectiveNumbers,
     .warpseq = {"eclust", "", "effective number of sequences: clusters"},
     .easel = {"--eclust", "eff seq # is # of single linkage clusters"},
     .report = {"effective seq number scheme:", "single linkage clusters"}},
    {.toggles = kEffectiveNumbers,
     .warpseq = {"enone", "", "effective number of sequences: as many as there are"},
     .easel = {"--enone", "no effective seq # weighting: just use nseq"},
     .report = {"effective seq number scheme:", "none"}},
    {.type = OptionType::kReal,
     .toggles = kEffectiveNumbers,
     .warpseq = {"eset", "X", "effective number of sequences: X"},
     .easel = {"--eset", "set eff seq # for all models to <x>"},
     .report = {"effective seq number:", "set to ", ReportedNumber::kFixed}},
    {.type = OptionType::kReal,
     .range = kAboveZero,
     .warpseq = {"ere", "X", "least relative entropy of a node in bits, for --eent and --eentexp"},
     .easel = {"--ere", "for --eent[exp]: set minimum rel entropy/position to <x>"},
     .report = {"minimum rel entropy target:", "", ReportedNumber::kFixed, " bits"}},
    {.type = OptionType::kReal,
     .standard = "45.0",
     .range = kAboveZero,
     .warpseq = {"esigma", "X", "relative entropy of a whole short model in bits, for --eent and --eentexp"},
     .easel = {"--esigma", "for --eent[exp]: set sigma param to <x>"},
     .report = {"entropy target sigma parameter:", "", ReportedNumber::kFixed, " bits"}},
    {.type = OptionType::kReal,
     .standard = "0.62",
     .range = kUpTo1,
     .needs = "--eclust",
     .warpseq = {"eid", "X", "identity of a cluster for --eclust"},
     .easel = {"--eid", "for --eclust: set fractional identity cutoff to <x>"},
     .report = {"frac id cutoff for --eclust:", "", ReportedNumber::kFixed}},
});

inline constexpr auto kPriors = std::to_array<OptionRow>({
    {.excludes = "--plaplace",
     .warpseq = {"pnone", "", "no prior: probabilities are frequencies"},
     .easel = {"--pnone", "don't use any prior; parameters are frequencies"},
     .report = {"prior scheme:", "none"}},
    {.excludes = "--pnone",
     .warpseq = {"plaplace", "", "prior: one more of everything"},
     .easel = {"--plaplace", "use a Laplace +1 prior"},
     .report = {"prior scheme:", "Laplace +1"}},
});

/// Rows of options that jackhmmer knows and refuses, in jackhmmer's order.
inline constexpr auto kRefused = joined(
    kCutoff,
    std::to_array<OptionRow>({
        {.toggles = "--fast,--hand", .easel = {"--fast", ""}},
        {.toggles = "--fast,--hand", .is_on = true, .easel = {"--hand", ""}},
        {.type = OptionType::kReal, .standard = "0.5", .range = kUpTo1, .needs = "--fast", .easel = {"--symfrac", ""}},
        {.toggles = kWeightings, .easel = {"--wgiven", ""}},
    }));

inline constexpr auto kBasic = joined(kHelp, kRounds);
inline constexpr auto kAllOutput = joined(kReport, kRoundAlignment, kRoundOutput);
inline constexpr auto kExpert = joined(kNull2, kStatistics, kSequenceFormats, kWorkers);
inline constexpr EaselGroup kGroups[] = {
    {"Basic options:", kBasic},
    {"Options directing output:", kAllOutput},
    {"Options controlling scoring system in first iteration:", kSequence},
    {"Options controlling reporting thresholds:", kRoundReporting},
    {"Options controlling significance thresholds for inclusion in next round:", kRoundInclusion},
    {"Options controlling acceleration heuristics:", kFilter},
    {"Options controlling model construction after first iteration:", kConstruction},
    {"Options controlling relative weights in models after first iteration:", kWeights},
    {"Options controlling effective seq number in models after first iteration:", kEffectiveNumber},
    {"Options controlling prior strategy in models after first iteration:", kPriors},
    {"Options controlling E value calibration:", kCalibration},
    {"Other expert options:", kExpert},
    {"", kRefused},
};

}  // namespace warpseq::jackhmmer_rows
