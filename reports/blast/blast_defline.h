// A definition line as BLAST reads it where identifiers are parsed (makeblastdb -parse_seqids).
#pragma once

#include <string>
#include <string_view>

namespace warpseq {

struct BlastDefline {
    std::string accession;  // with its version: "P12345", "NP_1.1", "1ABC_A", "mydb:tag7"
    std::string id;         // without a GI: "sp|P12345|FOO_HUMAN", "lcl|name"
    std::string full_id;    // as tables have it: a GI before it, a local name by itself
    std::string gi;         // empty: none
    std::string title;      // what follows; may be empty

    /// The accession without ".VERSION".
    std::string_view accession_without_version() const;
};

/// Of a target_title(). Identifiers of the kinds sp, tr, gb, emb, dbj, ref, pir, prf, pdb, gnl, lcl and gi are known; any
/// other is a local name as a whole. Unlike BLAST, which takes a bare name that looks like an accession of Swiss-Prot or
/// GenBank for one, all bare names are local.
BlastDefline parse_defline(std::string_view title);

}  // namespace warpseq
