// The definition lines of a sequence as BLAST databases store them: ASN.1's basic encoding (BER) of
// a Blast-def-line-set.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/blast/blast_seqid.h"

namespace warpseq {

struct StoredDefline {
    std::vector<BlastSeqId> ids;   // all of them, in their order
    std::string id;                // as FASTA has it: "sp|P12345|NAME", "gi|12|ref|NP_1.1|"; a local name by itself
    std::string title;             // may be empty
    bool has_title = false;        // the line has one, be it empty
    bool is_number = false;        // the identifier is only the sequence's number, which makeblastdb gives: BL_ORD_ID
    std::int64_t taxid = 0;        // 0: not known
    std::int64_t memberships = 0;  // bits of the databases within this one
    std::int64_t ipg = -1;         // number of the group of identical proteins; -1: not known
};

/// All definition lines in their order, at least one. Nothing where the bytes are no such set,
/// whatever they are: nothing is read beyond them, and what nests too deep is refused. Control
/// characters of titles become '#', those and blanks of identifiers '_', and Ctrl-A, by which FASTA
/// separates definition lines, a blank.
std::optional<std::vector<StoredDefline>> read_blast_deflines(std::span<const std::uint8_t> bytes);

}  // namespace warpseq
