#include "formats/alignments/alignment_format.h"

#include <algorithm>
#include <array>

namespace warpseq {

namespace {

struct Named {
    AlignmentFormat format;
    std::string_view name, title;
};

constexpr std::array<Named, 11> kFormats = {{
    {AlignmentFormat::kStockholm, "stockholm", "Stockholm"},
    {AlignmentFormat::kPfam, "pfam", "Pfam"},
    {AlignmentFormat::kA2m, "a2m", "UCSC A2M"},
    {AlignmentFormat::kA3m, "a3m", "A3M"},
    {AlignmentFormat::kPsiblast, "psiblast", "PSI-BLAST"},
    {AlignmentFormat::kSelex, "selex", "SELEX"},
    {AlignmentFormat::kAfa, "afa", "aligned FASTA"},
    {AlignmentFormat::kClustal, "clustal", "Clustal"},
    {AlignmentFormat::kClustallike, "clustallike", "Clustal-like"},
    {AlignmentFormat::kPhylip, "phylip", "PHYLIP (interleaved)"},
    {AlignmentFormat::kPhylips, "phylips", "PHYLIP (sequential)"},
}};

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::optional<AlignmentFormat> alignment_format_named(std::string_view name) {
    for (const Named& named : kFormats) {
        if (std::ranges::equal(named.name, name, {}, {}, lower)) return named.format;
    }
    return std::nullopt;
}

std::string_view alignment_format_title(AlignmentFormat format) {
    return std::ranges::find(kFormats, format, &Named::format)->title;
}

}  // namespace warpseq
