// Identifiers of sequences as NCBI's programs store, compare and print them (their Seq-ids):
// "sp|P12345|NAME", "gnl|database|tag", "lcl|name". formats/blast/blast_seqid_parser.h reads them from text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpseq {

struct BlastSeqId {
    /// The kinds. Each has the number that it has in stored definition lines
    /// (formats/blast/blast_deflines.h).
    enum class Kind : std::uint8_t {
        kLocal,
        kGibbSequence,
        kGibbMolecule,
        kGiImport,
        kGenBank,
        kEmbl,
        kPir,
        kSwissProt,
        kPatent,
        kRefSeq,
        kGeneral,
        kGi,
        kDdbj,
        kPrf,
        kPdb,
        kTpg,
        kTpe,
        kTpd,
        kGpipe,
        kNamedTrack
    };
    Kind kind = Kind::kLocal;
    /// The accession without its version; of kGeneral the database, of kPatent the country, of kPdb
    /// the entry; empty for the other kinds that are not textual.
    std::string first = {};
    /// The name of the record; of kGeneral the tag, of kPatent its number, of kPdb the chain, of
    /// kLocal the name; of kGi, kGibbSequence, kGibbMolecule and kGiImport the number in decimal.
    std::string second = {};
    /// The version, or 0 without one; of kPatent the sequence's number in it.
    std::int64_t number = 0;
    bool is_variant = false;   // TrEMBL's among Swiss-Prot's, an application among patents
    bool has_release = false;  // the text said "sp" or "tr", so the stored form says which
    bool is_number = false;    // of kLocal and kGeneral: `second` is stored as a number
    bool operator==(const BlastSeqId&) const = default;

    /// Whether it consists of an accession, a version and a name, as those of large public
    /// databases do.
    bool is_textual() const;
    /// Returns `second` as a number. Only for ids whose `second` is one.
    std::int64_t numeric_value() const;
    /// Returns "sp|P12345.1|NAME", "lcl|name".
    std::string fasta() const;
    /// Returns the id without its kind: "P12345.1", "database:tag", "1ABC_A", "US123_4". The
    /// accession of a textual one is in capitals.
    std::string label(bool with_version) const;
    /// Returns the front of a definition line: the label, but fasta() of kGi, kPir and kPrf.
    std::string shown() const;

    enum class Comparison : std::uint8_t { kSame, kOther, kOtherKind };
    Comparison compare(const BlastSeqId& other) const;
};

/// Returns the kind's name in fasta(): "sp".
std::string_view seqid_kind_name(BlastSeqId::Kind kind);
/// Returns the kind with this name, in letters of any case; nothing where there is none.
std::optional<BlastSeqId::Kind> seqid_kind(std::string_view name);

/// Returns the id that is shown of a definition line that has several: an accession before a GI.
/// Null where there are none.
const BlastSeqId* shown_seqid(const std::vector<BlastSeqId>& ids);

/// Returns the label by which ids of one volume must differ, in capitals: "SP|P12345".
std::string unique_label(const BlastSeqId& id);
/// Returns the names by which a version 5 database finds the sequence, each once. The last one is
/// shown for it.
std::vector<std::string> accession_keys(const BlastSeqId& id);
/// Returns the names by which a version 4 database finds the sequence, each once, in small letters.
std::vector<std::string> isam_keys(const BlastSeqId& id);

}  // namespace warpseq
