// The formats of multiple alignments, under the names that HMMER's programs use for them.
//
// formats/alignments holds files of multiple alignments.
#pragma once

#include <optional>
#include <string_view>

namespace warpseq {

enum class AlignmentFormat {
    kStockholm,
    kPfam,  // Stockholm in one block
    kA2m,   // inserts in lower case, without dots (may be read with them), 60 letters a line
    kA3m,   // as kA2m, but one line for each row; only for writing, since it is read as kA2m
    kPsiblast,
    kSelex,
    kAfa,  // aligned FASTA
    kClustal,
    kClustallike,  // like Clustal, but made by another program
    kPhylip,       // interleaved
    kPhylips,      // sequential
};

/// Returns the format of a name in upper or lower case, or nothing if the name is unknown. The
/// names are stockholm, pfam, a2m, a3m, psiblast, selex, afa, clustal, clustallike, phylip and
/// phylips.
std::optional<AlignmentFormat> alignment_format_named(std::string_view name);

/// Returns a format's name in messages, such as "Stockholm" or "aligned FASTA".
std::string_view alignment_format_title(AlignmentFormat format);

}  // namespace warpseq
