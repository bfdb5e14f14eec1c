// The identifiers of definition lines (NCBI's Seq-ids) as makeblastdb -parse_seqids takes them, and the names by which
// BLAST's programs find a sequence.
//
// "sp|P12345|NAME", "gi|12|ref|NP_1.1|", "pdb|1ABC|A", "gnl|DATABASE|TAG", "lcl|NAME" and the like say of what kind they are;
// one definition line may have several, one after the other. A name without a kind is an accession where it is spelled as
// one of a protein: of UniProt ("P12345", "A0A023GPI8"), RefSeq ("NP_000001.1"), GenBank, EMBL or DDBJ ("AAA12345.1"), or
// PDB ("1ABC_A"). Every other one is local.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq {

struct WrittenSeqId {
    /// With the numbers that they have in the database.
    enum class Kind : std::uint8_t {
        kLocal = 0,
        kBackboneSequence = 1,  // bbs
        kBackboneMolecule = 2,  // bbm
        kImport = 3,            // gim
        kGenBank = 4,
        kEmbl = 5,
        kPir = 6,
        kSwissProt = 7,
        kPatent = 8,
        kRefSeq = 9,
        kGeneral = 10,
        kGi = 11,
        kDdbj = 12,
        kPrf = 13,
        kPdb = 14,
        kThirdPartyGenBank = 15,
        kThirdPartyEmbl = 16,
        kThirdPartyDdbj = 17,
        kPipeline = 18,
        kTrack = 19
    };
    Kind kind = Kind::kLocal;
    std::string accession =
        {};                 // without its version; a local name, a database (gnl), a molecule (pdb), a country (pat)
    std::string name = {};  // the second field: a tag (gnl), a chain (pdb), a number (pat)
    /// The version; of gi, bbs, bbm and gim all that there is; the sequence's number in a patent; of a local name or a tag
    /// what it is where `is_number`.
    std::int64_t number = 0;
    bool is_number = false;
    std::string_view release = {};  // "reviewed" (sp), "unreviewed" (tr); empty where the kind was not said

    /// Whether it has an accession, a version and a name.
    bool is_textual() const;
    /// "sp|P12345.1|NAME"
    std::string fasta() const;
    /// "P12345", with `with_version` "P12345.1"; "1ABC_A", "DATABASE:TAG", "US1234_1". Accessions are in capitals.
    std::string label(bool with_version) const;
    /// By which two of a volume must not be the same: in capitals, "SP|P12345".
    std::string unique_label() const;
};

/// The identifiers in `text`, the first word of a definition line, at least one. The error, where it cannot be taken for any, is
/// makeblastdb's; `line` is the line's number in its file.
Result<std::vector<WrittenSeqId>> parse_written_ids(std::string_view text, std::uint64_t line);

/// By which a version 5 database finds the sequence. One of them is shown for it: the last one.
std::vector<std::string> accession_keys(const WrittenSeqId& id);
/// By which a version 4 database finds it, in small letters.
std::vector<std::string> isam_keys(const WrittenSeqId& id);

}  // namespace warpseq
