// Definition lines as BLAST databases store them: what formats/blast/blast_deflines.h reads,
// written byte for byte as makeblastdb does.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/blast/blast_seqid.h"

namespace warpseq {

struct BlastDeflineParts {
    std::vector<BlastSeqId> ids;  // at least one
    std::string_view title;       // bytes that are no printable ASCII become '#'
    std::uint32_t taxid = 0;      // 0: not known
};

/// Appends a Blast-def-line-set in ASN.1's basic encoding, every length but those of texts and
/// numbers left open.
void encode_blast_deflines(std::span<const BlastDeflineParts> lines, std::string& bytes);

}  // namespace warpseq
