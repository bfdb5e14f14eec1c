// Parses definition lines as BLAST does with parsed identifiers (makeblastdb -parse_seqids).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/blast/blast_deflines.h"

namespace warpseq {

/// A definition line: its identifiers in the forms that reports print, its title and its taxon.
struct BlastDefline {
    /// The accession with its version, such as "P12345", "NP_1.1", "1ABC_A" or "mydb:tag7". For a
    /// line whose only identifier is a GI it is the number.
    std::string accession = {};
    /// The accession. For identifiers of PIR and PRF, and for a GI alone, the label is the whole
    /// identifier instead, such as "prf||1234A" or "gi|12".
    std::string label = {};
    std::string id = {};  // the identifier that is shown, such as "sp|P12345|FOO_HUMAN" or "lcl|name"
    /// The label in lists of subjects. There a general identifier comes before a local name.
    std::string label_in_list = {};
    /// The identifiers as tables have them: the first GI, '|', and the one that is shown. A local
    /// name has no "lcl|".
    std::string full_id = {};
    std::string gi = {};     // the GI, or empty if there is none
    std::string title = {};  // text after the identifiers; may be empty
    /// The title that is shown if `title` is empty. A patent's sequence or a chain of PDB has one
    /// of its own, such as "Chain A".
    std::string untitled = "unnamed protein product";
    std::uint64_t taxid = 0;  // taxonomy ID, or 0 if not known
    /// Whether the accession is one of a public database. The case of its letters does not matter
    /// then.
    bool has_public_accession = false;
    std::size_t version_bytes = 0;  // length of ".VERSION" at the accession's end, or 0 if there is none

    /// Returns the accession without ".VERSION".
    std::string_view accession_without_version() const;
    std::string_view shown_title() const { return title.empty() ? untitled : title; }
    /// Returns the name for rows of formats 1 to 4, which is the accession. For a general
    /// identifier ("gnl|database|tag") the name is the tag alone.
    std::string row_label() const { return id.starts_with("gnl|") ? id.substr(id.rfind('|') + 1) : accession; }
    /// Returns the name that links within an HTML report refer to.
    const std::string& anchor() const { return gi.empty() ? accession : gi; }
    /// Whether the identifier is a link to NCBI in HTML. It is none if it is a local or general
    /// identifier, or a GI alone.
    bool is_link() const { return !id.starts_with("lcl|") && !id.starts_with("gnl|") && !id.starts_with("gi|"); }
    bool is_third_party() const { return id.starts_with("tpg|") || id.starts_with("tpe|") || id.starts_with("tpd|"); }
    /// Returns the line for the table of format 0: `label`, a blank, and the title as
    /// marked_title() makes it.
    std::string summary() const;
};

/// Returns a title as blastp's tables have it (cleaned_title()). If `is_third_party`, "TPA:" stands
/// before the title.
std::string marked_title(std::string_view title, bool is_third_party);

/// Returns the identifiers in `word`, the first word of a definition line. An identifier has its
/// kind in front, such as "sp|", or is an accession of a public database, which is recognized by
/// its form. If the word has no such identifiers, the result is one local name, the whole word.
std::vector<BlastSeqId> defline_ids(std::string_view word);

/// Parses a definition line as target_title() returns it. Its first word has the identifiers. In
/// `accession`, an accession of a public database is in capitals. In `id` it stays as it is.
BlastDefline parse_defline(std::string_view title);

/// Parses the definition lines of a stored header, which Ctrl-A separates. There is at least one.
/// If `has_taxids`, lines may end with " [taxid=N]" (formats/blast/blast_database.h).
std::vector<BlastDefline> parse_deflines(std::string_view header, bool has_taxids);

/// Returns one definition line of a stored header as NCBI's files would have it.
StoredDefline stored_defline(std::string_view line, bool has_taxids);

}  // namespace warpseq
