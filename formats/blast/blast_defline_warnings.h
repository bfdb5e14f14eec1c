// Warnings of NCBI's FASTA reader about definition lines, in which a sequence may stand by mistake.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "formats/blast/blast_seqid.h"

namespace warpseq {

/// Returns the warnings about the identifiers of `word`, the first word of a definition line, each
/// with its line end. `line` is the line's number in the file.
std::string seqid_warnings(std::span<const BlastSeqId> ids, std::string_view word, std::uint64_t line);

/// Returns the warning, with its line end, about a title of more than 50 characters that ends with
/// 50 letters. Returns an empty text for other titles.
std::string title_warning(std::string_view title);

}  // namespace warpseq
