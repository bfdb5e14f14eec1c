// Encodes definition lines as BLAST databases store them. The bytes are those that makeblastdb
// writes. formats/blast/blast_deflines.h decodes them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/blast/blast_seqid.h"

namespace warpseq {

/// A definition line to be encoded.
struct BlastDeflineParts {
    std::vector<BlastSeqId> ids;  // at least one
    std::string_view title;       // bytes that are not printable ASCII become '#'
    std::uint32_t taxid = 0;      // 0 if unknown
};

/// Appends a Blast-def-line-set in ASN.1's basic encoding rules (BER). Texts and numbers have a
/// definite length, and all other elements have the indefinite length.
void encode_blast_deflines(std::span<const BlastDeflineParts> lines, std::string& bytes);

}  // namespace warpseq
