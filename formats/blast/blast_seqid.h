// Identifiers of sequences as NCBI's programs store, compare and print them. NCBI calls them
// Seq-ids. Examples are "sp|P12345|NAME", "gnl|database|tag" and "lcl|name".
// formats/blast/blast_seqid_parser.h reads them from text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpseq {

/// An identifier of a sequence.
struct BlastSeqId {
    /// The kinds of identifiers. The value of a kind is its number in stored definition lines
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
    /// The accession without its version, if the kind is textual. For kGeneral it is the database,
    /// for kPatent the country, for kPdb the entry. It is empty for the other kinds.
    std::string first = {};
    /// The name of the record, if the kind is textual. For kLocal it is the name, for kGeneral the
    /// tag, for kPatent the patent's number, for kPdb the chain. For kGi, kGibbSequence,
    /// kGibbMolecule and kGiImport it is the number in decimal.
    std::string second = {};
    /// The version, or 0 if there is none. For kPatent it is the sequence's number in the patent.
    std::int64_t number = 0;
    bool is_variant = false;   // kSwissProt: an entry of TrEMBL. kPatent: an application
    bool has_release = false;  // whether the text had "sp" or "tr", which is then stored, too
    bool is_number = false;    // kLocal, kGeneral: whether `second` is stored as a number
    bool operator==(const BlastSeqId&) const = default;

    /// Whether the identifier consists of an accession, a version and a name. The identifiers of
    /// large public databases do.
    bool is_textual() const;
    /// Returns `second` as a number. Only for identifiers whose `second` is a number.
    std::int64_t numeric_value() const;
    /// Returns the identifier with its kind, such as "sp|P12345.1|NAME" or "lcl|name".
    std::string fasta() const;
    /// Returns the identifier without its kind, such as "P12345.1", "database:tag", "1ABC_A" or
    /// "US123_4". An accession of a textual kind is in capitals.
    std::string label(bool with_version) const;
    /// Returns the text at the front of a definition line. It is fasta() for kGi, kPir and kPrf,
    /// and the label with its version for other kinds.
    std::string shown() const;

    enum class Comparison : std::uint8_t { kSame, kOther, kOtherKind };
    /// Returns whether `other` is the same identifier. In textual kinds a missing version agrees
    /// with any version. kOtherKind means that the two kinds cannot be compared. For kGeneral it
    /// means that the databases differ.
    Comparison compare(const BlastSeqId& other) const;
};

/// Returns the kind's name in fasta(), such as "sp".
std::string_view seqid_kind_name(BlastSeqId::Kind kind);
/// Returns the kind with this name, or nothing if there is none. Letters may have any case.
std::optional<BlastSeqId::Kind> seqid_kind(std::string_view name);

/// Returns the identifier that is shown for a definition line with these identifiers. An accession
/// is preferred to a GI. Returns null if `ids` is empty.
const BlastSeqId* shown_seqid(const std::vector<BlastSeqId>& ids);

/// Returns the label by which the identifiers of one volume must differ, such as "SP|P12345". It is
/// in capitals, except for the chain of kPdb.
std::string unique_label(const BlastSeqId& id);
/// Returns the keys by which a version 5 database finds the sequence, each once. The last one is
/// the accession that is shown. There are none for kGi.
std::vector<std::string> accession_keys(const BlastSeqId& id);
/// Returns the keys by which a version 4 database finds the sequence, each once, in lower case.
/// There are none for kGi.
std::vector<std::string> isam_keys(const BlastSeqId& id);

}  // namespace warpseq
