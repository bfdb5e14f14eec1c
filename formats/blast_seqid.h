// Identifiers of sequences as NCBI's programs read, store, compare and print them: "sp|P12345|NAME", "gnl|database|tag", "lcl|name",
// and accessions without a kind before them ("NP_012345.2"), which are told by how they are made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq {

struct BlastSeqId {
    /// In the order of their numbers in stored definition lines (formats/blast_deflines.h).
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
    std::string first = {};   // accession; database of a general one; country of a patent; entry of PDB
    std::string second = {};  // name of the record; tag; number of the patent; chain; what local ones and numbers are
    std::int64_t number = 0;  // version, 0: none; of a patent its sequence
    bool is_variant = false;  // TrEMBL's among Swiss-Prot's, an application among patents
    bool is_number = false;   // local ones and tags: stored as a number
    bool operator==(const BlastSeqId&) const = default;

    /// Whether it has an accession or the name of a record in its place, as those of the large public databases have.
    bool is_textual() const;
    /// "sp|P12345.1|NAME", "lcl|name"
    std::string fasta() const;
    /// Without its kind: "P12345.1", "database:tag", "1ABC_A", "US123_4"; the accession of a textual one in capitals.
    std::string label(bool with_version) const;
    /// What definition lines begin with: the label, and of GIs, PIR and PRF the whole.
    std::string shown() const;

    enum class Comparison : std::uint8_t { kSame, kOther, kOtherKind };
    Comparison compare(const BlastSeqId& other) const;
};

/// How identifiers without a kind are read.
struct SeqIdReading {
    bool finds_accessions = true;  // P12345 is one of Swiss-Prot; else only kinds say so
    bool numbers_are_gis = false;
    bool takes_local = true;      // what else it may be is a local name
    bool takes_any_local = true;  // also one with blanks, '>', '[', ']', '|' or '"', or of more than 50 letters
    bool takes_parts = true;      // what follows an identifier with its kind is left out, else an error
};

/// A single identifier. An error has the words of NCBI's programs.
Result<BlastSeqId> parse_seqid(std::string_view text, const SeqIdReading& reading);

/// One or more, as "gi|12|ref|NP_1.1|", which are added to `ids`; none of blanks alone. An error as above, which leaves those that were
/// read before; with takes_parts what cannot be read is left out, unless it is the last.
Status parse_seqids(std::string_view text, const SeqIdReading& reading, std::vector<BlastSeqId>& ids);

/// The one that is shown of a definition line that has several: an accession before a GI. None where there are none.
const BlastSeqId* shown_seqid(const std::vector<BlastSeqId>& ids);

/// The kind with this name, in letters of any case: "sp".
std::optional<BlastSeqId::Kind> seqid_kind(std::string_view name);

}  // namespace warpseq
