// A definition line as BLAST reads it where identifiers are parsed (makeblastdb -parse_seqids).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/blast/blast_deflines.h"

namespace warpseq {

struct BlastDefline {
    std::string accession =
        {};                    // with its version: "P12345", "NP_1.1", "1ABC_A", "mydb:tag7", of a GI alone its number
    std::string label = {};    // the same, or of a GI alone, of PIR's and PRF's the identifier: "gi|12", "prf||1234A"
    std::string id = {};       // without a GI: "sp|P12345|FOO_HUMAN", "lcl|name"
    std::string full_id = {};  // as tables have it: a GI before it, a local name by itself
    std::string gi = {};       // empty: none
    std::string title = {};    // what follows; may be empty
    std::uint64_t taxid = 0;   // 0: not known
    bool has_public_accession = false;  // its accession is one of a public database, and the same in any letters
    std::size_t version_bytes = 0;      // of ".VERSION" at the accession's end, where it is one: local names have none

    /// The accession without ".VERSION".
    std::string_view accession_without_version() const;
    std::string_view shown_title() const { return title.empty() ? "unnamed protein product" : std::string_view(title); }
    /// In rows of formats 1 to 4: the accession, but without the database of a general identifier ("gnl|database|tag").
    std::string row_label() const { return id.starts_with("gnl|") ? id.substr(id.rfind('|') + 1) : accession; }
    bool is_third_party() const { return id.starts_with("tpg|") || id.starts_with("tpe|") || id.starts_with("tpd|"); }
    /// In the table of format 0: the title is cleaned (blastp_report_text.h), and says whether it
    /// is a third party's.
    std::string summary() const;
};

/// A title as blastp's tables have it (cleaned_title()), which says whether it is a third party's.
std::string marked_title(std::string_view title, bool is_third_party);

/// The identifiers that `word`, the first one of a definition line, stands for: those with kinds
/// before them, accessions of public databases, which are known by how they are made, and else a
/// local name.
std::vector<BlastSeqId> defline_ids(std::string_view word);

/// Parses a target_title(), whose first word has the identifiers. The `accession` of a public
/// database is in capitals; within `id` it stays as it is.
BlastDefline parse_defline(std::string_view title);

/// Parses the definition lines of a header as it is stored; there is at least one. Ctrl-A separates
/// them. With `has_taxids` they may end with " [taxid=N]" (formats/blast/blast_database.h).
std::vector<BlastDefline> parse_deflines(std::string_view header, bool has_taxids);

/// One definition line of a stored header, as NCBI's files would have it.
StoredDefline stored_defline(std::string_view line, bool has_taxids);

}  // namespace warpseq
