// A definition line as BLAST reads it where identifiers are parsed (makeblastdb -parse_seqids).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

    /// The accession without ".VERSION".
    std::string_view accession_without_version() const;
    std::string_view shown_title() const { return title.empty() ? "unnamed protein product" : std::string_view(title); }
    /// In rows of formats 1 to 4: the accession, but without the database of a general identifier ("gnl|database|tag").
    std::string row_label() const { return id.starts_with("gnl|") ? id.substr(id.rfind('|') + 1) : accession; }
    /// Whether its accession is one of a public database, and the same in any letters.
    bool has_public_accession() const;
    bool is_third_party() const { return id.starts_with("tpg|") || id.starts_with("tpe|") || id.starts_with("tpd|"); }
    /// In the table of format 0: the title is cleaned (blastp_report_text.h), and says whether it is a third party's.
    std::string summary() const;
};

/// Of a target_title(). Identifiers of the kinds sp, tr, gb, emb, dbj, ref, pir, prf, tpg, tpe, tpd, pat, pdb, gnl, lcl
/// and gi are known, in any letters, and become small ones. An `accession` is in capitals, but of pat, pdb, gnl and lcl;
/// within `id` it stays as it is. Any other identifier is a local name as a whole. Unlike BLAST, which takes a bare name that looks like an accession of Swiss-Prot or
/// GenBank for one, all bare names are local.
BlastDefline parse_defline(std::string_view title);

/// Of a header as it is stored: its definition lines, which Ctrl-A separates; at least one. `has_taxids`: they may end
/// with " [taxid=N]" (formats/blast_database.h).
std::vector<BlastDefline> parse_deflines(std::string_view header, bool has_taxids);

}  // namespace warpseq
