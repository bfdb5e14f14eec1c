// Decodes the definition lines of a sequence as BLAST databases store them. They are a
// Blast-def-line-set in ASN.1's basic encoding rules (BER).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/blast/blast_seqid.h"

namespace warpseq {

/// A decoded definition line.
struct StoredDefline {
    std::vector<BlastSeqId> ids;  // all identifiers in their order
    /// The first GI and the other identifier that is shown, as in FASTA: "sp|P12345|NAME",
    /// "gi|12|ref|NP_1.1|", or a local name alone.
    std::string id;
    std::string title;             // may be empty
    bool has_title = false;        // whether the line has a title, even an empty one
    bool is_number = false;        // whether the identifier is just the number that makeblastdb gives (BL_ORD_ID)
    std::int64_t taxid = 0;        // 0 if unknown
    std::int64_t memberships = 0;  // bits of the databases within this one
    std::int64_t ipg = -1;         // number of the group of identical proteins, -1 if unknown
};

/// Returns all definition lines in their order, at least one. Returns nothing if `bytes` are not
/// such a set, or if its elements nest too deep. Never reads beyond `bytes`, even if they are
/// damaged.
///
/// Control characters of titles become '#'. Ctrl-A in a title becomes a blank, because it separates
/// definition lines in FASTA. Control characters and blanks of identifiers become '_'.
std::optional<std::vector<StoredDefline>> read_blast_deflines(std::span<const std::uint8_t> bytes);

}  // namespace warpseq
