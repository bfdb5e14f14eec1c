// The formats of multiple alignments, by the names that HMMER's programs know them under.
//
// formats/alignments: files of multiple alignments, and files that may be either alignments or
// FASTA.
#pragma once

#include <optional>
#include <string_view>

namespace warpseq {

enum class AlignmentFormat {
    kStockholm,
    kPfam,  // Stockholm in one block
    kA2m,   // inserts in lower case, without dots (read with or without them), 60 letters a line
    kA3m,   // likewise, a row a line; written only: read as kA2m
    kPsiblast,
    kSelex,
    kAfa,  // aligned FASTA
    kClustal,
    kClustallike,  // as Clustal, made by another program
    kPhylip,       // interleaved
    kPhylips,      // sequential
};

/// Names in any case: stockholm, pfam, a2m, a3m, psiblast, selex, afa, clustal, clustallike,
/// phylip, phylips.
std::optional<AlignmentFormat> alignment_format_named(std::string_view name);

/// As messages call it: "Stockholm", "aligned FASTA", ...
std::string_view alignment_format_title(AlignmentFormat format);

}  // namespace warpseq
