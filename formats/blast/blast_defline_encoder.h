// Encodes definition lines as BLAST databases store them. The bytes are those that makeblastdb
// writes. formats/blast/blast_deflines.h decodes them.
#pragma once

#include <cstddef>
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

/// A byte of a text that is not printable ASCII.
struct BlastBadByte {
    std::string member = {};     // the text's place in the set, such as "E.title" or "E.seqid.E.local.str"
    std::string_view text = {};  // the whole text, as it was given
    std::uint8_t byte = 0;
    std::size_t offset = 0;  // in the encoded bytes
};

/// Appends a Blast-def-line-set in ASN.1's basic encoding rules (BER). Texts and numbers have a
/// definite length, and all other elements have the indefinite length. Appends the bad bytes of
/// titles and identifiers to `bad_bytes`, unless it is null. If `with_taxids` is false, the lines
/// are encoded without their taxonomy IDs. Texts of over 100,000 bytes have one bad byte at most.
void encode_blast_deflines(std::span<const BlastDeflineParts> lines, std::string& bytes,
                           std::vector<BlastBadByte>* bad_bytes = nullptr, bool with_taxids = true);

/// Returns makeblastdb's messages about bad bytes, each with its line ends.
std::string bad_byte_messages(std::span<const BlastBadByte> bad_bytes);

}  // namespace warpseq
