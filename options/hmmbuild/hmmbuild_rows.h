// Rows of the options of `search hmmbuild` and hmmbuild.
#pragma once

#include "options/hmm/hmm_rows.h"

namespace warpseq::hmmbuild_rows {

using namespace hmm_rows;

inline constexpr OptionRange kFraction = {.text = "0<=x<=1", .least = 0, .most = 1};
inline constexpr OptionRange kFromFive = {.text = "n>=5", .least = 5, .most = kInfinity};

inline constexpr auto kName = std::to_array<OptionRow>({
    {.type = OptionType::kText,
     .warpseq = {"n", "NAME", "name of the profile, where the file holds one alignment"},
     .easel = {"-n", "name the HMM <s>"},
     .report = {"name (the single) HMM:"}},
});

inline constexpr auto kSummary = std::to_array<OptionRow>({
    {.type = OptionType::kFile,
     .warpseq = {"summary", "FILE",
                 "write the table of what was built; - is standard output, where it goes anyway if -o names a file"},
     .easel = {"-o", "direct summary output to file <f>, not stdout"},
     .report = {"output directed to file:"}},
});

inline constexpr auto kProcessed = std::to_array<OptionRow>({
    {.type = OptionType::kFile,
     .warpseq = {"O", "FILE", "write the alignments as the profiles see them, in Stockholm format"},
     .easel = {"-O", "resave annotated, possibly modified MSA to file <f>"},
     .report = {"processed alignment resaved to:"}},
});

inline constexpr std::string_view kAlphabets = "--amino,--dna,--rna";
inline constexpr auto kAlphabet = std::to_array<OptionRow>({
    {.toggles = kAlphabets,
     .warpseq = {"amino", "", "the letters are amino acids, even if they look like nucleotides"},
     .easel = {"--amino", "input alignment is protein sequence data"},
     .report = {"input alignment is asserted as:", "protein"}},
    {.toggles = kAlphabets, .easel = {"--dna", "input alignment is DNA sequence data"}},
    {.toggles = kAlphabets, .easel = {"--rna", "input alignment is RNA sequence data"}},
});

inline constexpr std::string_view kConstructions = "--fast,--hand";
inline constexpr auto kModel = std::to_array<OptionRow>({
    {.toggles = kConstructions,
     .is_on = true,
     .warpseq = {"fast", "", "nodes are columns with enough residues; the default"},
     .easel = {"--fast", "assign cols w/ >= symfrac residues as consensus"}},
    {.toggles = kConstructions,
     .warpseq = {"hand", "", "nodes are columns that the reference line (RF) marks"},
     .easel = {"--hand", "manual construction (requires reference annotation)"},
     .report = {"model architecture construction:", "hand-specified by RF annotation"}},
    {.type = OptionType::kReal,
     .standard = "0.5",
     .range = kFraction,
     .needs = "--fast",
     .warpseq = {"symfrac", "X", "with --fast: residues in a column, by weight, from which on it is a node, 0 to 1"},
     .easel = {"--symfrac", "sets sym fraction controlling --fast construction"},
     .report = {"sym fraction for model structure:", "", ReportedNumber::kThreeDigits}},
    {.type = OptionType::kReal,
     .standard = "0.5",
     .range = kFraction,
     .warpseq = {"fragthresh", "X",
                 "a sequence with residues in at most this part of the columns is a fragment, 0 to 1"},
     .easel = {"--fragthresh", "if L <= x*alen, tag sequence as a fragment"},
     .report = {"seq called frag if L <= x*alen:", "", ReportedNumber::kThreeDigits}},
});

inline constexpr std::string_view kWeightings = "--wgsc,--wblosum,--wpb,--wnone,--wgiven";
inline constexpr auto kWeights = std::to_array<OptionRow>({
    {.toggles = kWeightings,
     .is_on = true,
     .warpseq = {"wpb", "", "weights by position (Henikoff); the default"},
     .easel = {"--wpb", "Henikoff position-based weights"}},
    {.toggles = kWeightings,
     .warpseq = {"wgsc", "", "weights by a tree (Gerstein, Sonnhammer, Chothia)"},
     .easel = {"--wgsc", "Gerstein/Sonnhammer/Chothia tree weights"},
     .report = {"relative weighting scheme:", "G/S/C"}},
    {.toggles = kWeightings,
     .warpseq = {"wblosum", "", "weights by clusters, as BLOSUM's"},
     .easel = {"--wblosum", "Henikoff simple filter weights"},
     .report = {"relative weighting scheme:", "BLOSUM filter"}},
    {.toggles = kWeightings,
     .warpseq = {"wnone", "", "the same weight for all"},
     .easel = {"--wnone", "don't do any relative weighting; set all to 1"},
     .report = {"relative weighting scheme:", "none"}},
    {.toggles = kWeightings,
     .warpseq = {"wgiven", "", "the file's weights (WT)"},
     .easel = {"--wgiven", "use weights as given in MSA file"}},
    {.type = OptionType::kReal,
     .standard = "0.62",
     .range = kFraction,
     .needs = "--wblosum",
     .warpseq = {"wid", "X", "with --wblosum: identity of a cluster's sequences, 0 to 1"},
     .easel = {"--wid", "for --wblosum: set identity cutoff"},
     .report = {"frac id cutoff for BLOSUM wgts:", "", ReportedNumber::kFixed}},
});

inline constexpr std::string_view kEffectiveNumbers = "--eent,--eentexp,--eclust,--eset,--enone";
inline constexpr auto kNumbers = std::to_array<OptionRow>({
    {.toggles = kEffectiveNumbers,
     .is_on = true,
     .warpseq = {"eent", "", "as many sequences as give the entropy asked for; the default"},
     .easel = {"--eent", "adjust eff seq # to achieve relative entropy target"}},
    {.toggles = kEffectiveNumbers,
     .warpseq = {"eentexp", "", "the same by an exponent of each node's counts"},
     .easel = {"--eentexp", "adjust eff seq # to reach rel. ent. target using exp scaling", nullptr, true}},
    {.toggles = kEffectiveNumbers,
     .warpseq = {"eclust", "", "as many as there are clusters"},
     .easel = {"--eclust", "eff seq # is # of single linkage clusters"},
     .report = {"effective seq number scheme:", "single linkage clusters"}},
    {.toggles = kEffectiveNumbers,
     .warpseq = {"enone", "", "as many as there are sequences"},
     .easel = {"--enone", "no effective seq # weighting: just use nseq"},
     .report = {"effective seq number scheme:", "none"}},
    {.type = OptionType::kReal,
     .toggles = kEffectiveNumbers,
     .warpseq = {"eset", "X", "the number X"},
     .easel = {"--eset", "set eff seq # for all models to <x>"},
     .report = {"effective seq number:", "set to ", ReportedNumber::kFixed}},
    {.type = OptionType::kReal,
     .range = kAboveZero,
     .warpseq = {"ere", "X", "least relative entropy of a node in bits; default 0.59"},
     .easel = {"--ere", "for --eent: set minimum rel entropy/position to <x>"},
     .report = {"minimum rel entropy target:", "", ReportedNumber::kFixed, " bits"}},
    {.type = OptionType::kReal,
     .standard = "45.0",
     .range = kAboveZero,
     .warpseq = {"esigma", "X", "relative entropy in bits that short models shall have as a whole"},
     .easel = {"--esigma", "for --eent: set sigma param to <x>"},
     .report = {"entropy target sigma parameter:", "", ReportedNumber::kFixed, " bits"}},
    {.type = OptionType::kReal,
     .standard = "0.62",
     .range = kFraction,
     .needs = "--eclust",
     .warpseq = {"eid", "X", "with --eclust: identity of a cluster's sequences, 0 to 1"},
     .easel = {"--eid", "for --eclust: set fractional identity cutoff to <x>"},
     .report = {"frac id cutoff for --eclust:", "", ReportedNumber::kFixed}},
});

inline constexpr auto kPrior = std::to_array<OptionRow>({
    {.excludes = "--plaplace",
     .warpseq = {"pnone", "", "no prior: frequencies"},
     .easel = {"--pnone", "don't use any prior; parameters are frequencies"},
     .report = {"prior scheme:", "none"}},
    {.excludes = "--pnone",
     .warpseq = {"plaplace", "", "one more of each residue and transition"},
     .easel = {"--plaplace", "use a Laplace +1 prior"},
     .report = {"prior scheme:", "Laplace +1"}},
});

inline constexpr OptionRow kSinglemx = {
    .warpseq = {"singlemx", "", "profiles of single sequences come of a substitution matrix"},
    .easel = {"--singlemx", "use substitution score matrix for single-sequence inputs"},
    .report = {"use score matrix for 1-seq MSAs:", "on"}};
inline constexpr OptionRow kPopen = {
    .type = OptionType::kReal,
    .range = kBelowHalf,
    .warpseq =
        {"popen", "P",
         "probability of opening a gap, below 0.5, behind every node; with --singlemx 0.02 where it is not given"},
    .easel = {"--popen", "force gap open prob. (w/ --singlemx, aa default 0.02, nt 0.031)"},
    .report = {"gap open probability:", "", ReportedNumber::kFixed}};
inline constexpr OptionRow kPextend = {
    .type = OptionType::kReal,
    .range = kBelow1,
    .warpseq = {"pextend", "P", "the same of extending one, below 1; with --singlemx 0.4"},
    .easel = {"--pextend", "force gap extend prob. (w/ --singlemx, aa default 0.4, nt 0.75)"},
    .report = {"gap extend probability:", "", ReportedNumber::kFixed}};
inline constexpr OptionRow kMx = {
    .type = OptionType::kText,
    .standard = "BLOSUM62",
    .excludes = "--mxfile",
    .warpseq = {"mx", "NAME", "with --singlemx: BLOSUM45, 50, 62, 80, 90, PAM30, 70, 120, 240, 250 or IDENTITY"},
    .easel = {"--mx", "substitution score matrix (built-in matrices, with --singlemx)"},
    .report = {"subst score matrix (built-in):"}};
inline constexpr OptionRow kMxfile = {
    .type = OptionType::kFile,
    .excludes = "--mx",
    .warpseq = {"mxfile", "FILE", "with --singlemx: a matrix in NCBI's format"},
    .easel = {"--mxfile", "read substitution score matrix from file <f> (with --singlemx)"},
    .report = {"subst score matrix (file):"}};
/// The rows above, in the order of each dialect's help.
inline constexpr std::array kSingle = {kSinglemx, kPopen, kPextend, kMx, kMxfile};
inline constexpr std::array kEaselSingle = {kSinglemx, kMx, kMxfile, kPopen, kPextend};

inline constexpr auto kBuildCalibration = std::to_array<OptionRow>({
    {.type = OptionType::kInteger,
     .standard = "200",
     .range = kPositive,
     .warpseq = {"EmL", "N", "length of random sequences that mu of MSV scores is fitted to"},
     .easel = {"--EmL", "length of sequences for MSV Gumbel mu fit"},
     .report = {"seq length for MSV Gumbel mu fit:", "", ReportedNumber::kWhole}},
    {.type = OptionType::kInteger,
     .standard = "200",
     .range = kPositive,
     .warpseq = {"EmN", "N", "number of these sequences"},
     .easel = {"--EmN", "number of sequences for MSV Gumbel mu fit"},
     .report = {"seq number for MSV Gumbel mu fit:", "", ReportedNumber::kWhole}},
    {.type = OptionType::kInteger,
     .standard = "200",
     .range = kPositive,
     .warpseq = {"EvL", "N", "length of random sequences that mu of Viterbi scores is fitted to"},
     .easel = {"--EvL", "length of sequences for Viterbi Gumbel mu fit"},
     .report = {"seq length for Vit Gumbel mu fit:", "", ReportedNumber::kWhole}},
    {.type = OptionType::kInteger,
     .standard = "200",
     .range = kPositive,
     .warpseq = {"EvN", "N", "number of these sequences"},
     .easel = {"--EvN", "number of sequences for Viterbi Gumbel mu fit"},
     .report = {"seq number for Vit Gumbel mu fit:", "", ReportedNumber::kWhole}},
    {.type = OptionType::kInteger,
     .standard = "100",
     .range = kPositive,
     .warpseq = {"EfL", "N", "length of random sequences that tau of Forward scores is fitted to"},
     .easel = {"--EfL", "length of sequences for Forward exp tail tau fit"},
     .report = {"seq length for Fwd exp tau fit:", "", ReportedNumber::kWhole}},
    {.type = OptionType::kInteger,
     .standard = "200",
     .range = kPositive,
     .warpseq = {"EfN", "N", "number of these sequences"},
     .easel = {"--EfN", "number of sequences for Forward exp tail tau fit"},
     .report = {"seq number for Fwd exp tau fit:", "", ReportedNumber::kWhole}},
    {.type = OptionType::kReal,
     .standard = "0.04",
     .range = kBetween0And1,
     .warpseq = {"Eft", "P", "probability of the tail of Forward scores that tau is fitted to"},
     .easel = {"--Eft", "tail mass for Forward exponential tail tau fit"},
     .report = {"tail mass for Fwd exp tau fit:", "", ReportedNumber::kFixed}},
});

inline constexpr auto kInsert = std::to_array<OptionRow>({
    {.type = OptionType::kInteger,
     .range = kFromFive,
     .warpseq = {"maxinsertlen", "N", "count inserts as if their mean length were at most N, 5 or more"},
     .easel = {"--maxinsertlen", "pretend all inserts are length <= <n>"},
     .report = {"max insert length:", "", ReportedNumber::kWhole}},
});

inline constexpr auto kBuildSeed = std::to_array<OptionRow>({
    {.type = OptionType::kInteger,
     .standard = "42",
     .range = kNotNegative,
     .warpseq = {"seed", "N", "seed of calibration's random sequences; 0: another one in each run"},
     .easel = {"--seed", "set RNG seed to <n> (if 0: one-time arbitrary seed)"},
     .report = {"random number seed set to:", "", ReportedNumber::kWhole}},
});

inline constexpr auto kReading = std::to_array<OptionRow>({
    {.type = OptionType::kText,
     .warpseq = {"informat", "NAME",
                 "stockholm, pfam, afa, a2m, psiblast, selex, clustal, clustallike, phylip or phylips; default: what "
                 "the file looks like"},
     .easel = {"--informat", "assert input alifile is in format <s> (no autodetect)"}},
});

inline constexpr auto kBuildWorkers = std::to_array<OptionRow>({
    {.type = OptionType::kInteger,
     .standard = "2",
     .range = kNotNegative,
     .easel = {"--cpu", "number of parallel CPU workers for multithreads", "HMMER_NCPU"}},
    {.easel = {"--stall", "arrest after start: for attaching debugger to process"}},
});

inline constexpr auto kWindows = std::to_array<OptionRow>({
    {.type = OptionType::kReal, .easel = {"--w_beta", "tail mass at which window length is determined"}},
    {.type = OptionType::kInteger, .easel = {"--w_length", "window length "}},
});

inline constexpr auto kBasic = joined(kHelp, kName, kSummary, kProcessed);
inline constexpr auto kOther = joined(kBuildWorkers, kReading, kBuildSeed, kWindows, kInsert);
inline constexpr EaselGroup kGroups[] = {
    {"Basic options:", kBasic},
    {"Options for selecting alphabet rather than guessing it:", kAlphabet},
    {"Alternative model construction strategies:", kModel},
    {"Alternative relative sequence weighting strategies:", kWeights},
    {"Alternative effective sequence weighting strategies:", kNumbers},
    {"Alternative prior strategies:", kPrior},
    {"Handling single sequence inputs:", kEaselSingle},
    {"Control of E-value calibration:", kBuildCalibration},
    {"Other options:", kOther},
};

}  // namespace warpseq::hmmbuild_rows
