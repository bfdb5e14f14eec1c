// The options of `search hmmalign` and hmmalign, and the settings that they give.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string_view>

#include "formats/alignments/alignment_format.h"
#include "formats/sequences/sequence_format.h"
#include "libcore/base/status.h"
#include "options/easel_options.h"
#include "options/option_row.h"
#include "options/option_set.h"
#include "options/search/common_options.h"

namespace warpseq {

namespace hmmalign_rows {

inline constexpr OptionRow kInformat = {
    .type = OptionType::kText,
    .warpseq =
        {"informat", "FORMAT",
         "format of -d: fasta, embl, uniprot, genbank, ddbj, stockholm, pfam, a2m, psiblast, selex, afa, clustal, "
         "clustallike, phylip, phylips; default: what the file looks like"},
    .easel = {"--informat", "assert <seqfile> is in format <s>: no autodetection"}};
inline constexpr OptionRow kMapali = {
    .type = OptionType::kFile,
    .warpseq = {"mapali", "FILE", "put the rows of the alignment that the profile was made of first"},
    .easel = {"--mapali", "include alignment in file <f> (same ali that HMM came from)"}};
inline constexpr OptionRow kOutformat = {
    .type = OptionType::kText,
    .standard = "Stockholm",
    .warpseq = {.names = "outformat,aformat",
                .argument = "FORMAT",
                .help = "stockholm, pfam, a2m, a3m, psiblast, selex, afa, clustal, clustallike, phylip, phylips; also "
                        "--aformat",
                .standard = "stockholm"},
    .easel = {"--outformat", "output alignment in format <s>"}};
inline constexpr OptionRow kTrim = {
    .warpseq = {"trim", "", "leave out residues before the first and behind the last node"},
    .easel = {"--trim", "trim terminal tails of nonaligned residues from alignment"}};
inline constexpr std::string_view kAlphabets = "--amino,--dna,--rna";
inline constexpr OptionRow kAmino = {
    .toggles = kAlphabets, .easel = {"--amino", "assert <seqfile>, <hmmfile> both protein: no autodetection"}};
inline constexpr OptionRow kDna = {.toggles = kAlphabets,
                                   .easel = {"--dna", "assert <seqfile>, <hmmfile> both DNA: no autodetection"}};
inline constexpr OptionRow kRna = {.toggles = kAlphabets,
                                   .easel = {"--rna", "assert <seqfile>, <hmmfile> both RNA: no autodetection"}};

/// The rows in the order of each dialect's help.
inline constexpr std::array kInputs = {kInformat, kMapali};
inline constexpr std::array kOutputs = {kOutformat, kTrim};
inline constexpr std::array kLessCommon = {kMapali, kTrim, kAmino, kDna, kRna, kInformat, kOutformat};
inline constexpr auto kBasic = std::to_array<OptionRow>({
    {.easel = {"-h", "show brief help on version and usage"}},
    {.type = OptionType::kFile, .easel = {"-o", "output alignment to file <f>, not stdout"}},
});
inline constexpr EaselGroup kGroups[] = {{"Basic options:", kBasic}, {"Less common options:", kLessCommon}};

}  // namespace hmmalign_rows

/// The settings of a run of `search hmmalign`.
struct HmmalignOptions {
    RunOptions run;
    std::filesystem::path profile_file, sequence_file;  // "-" is standard input
    SequenceFileFormat sequences = {.kind = SequenceFileKind::kByContent};
    std::optional<std::filesystem::path> mapped_alignment;  // --mapali
    bool trim = false;
    AlignmentFormat output_format = AlignmentFormat::kStockholm;
};

/// Returns the options with their help.
OptionSet make_hmmalign_options();
/// Returns the settings that the options state. Wrong values are usage errors.
Result<HmmalignOptions> read_hmmalign_options(const OptionValues& values);

}  // namespace warpseq
