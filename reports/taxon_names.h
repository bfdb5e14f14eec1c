// Names the taxa of a target for tables, as blastp's columns do.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engines/targets/database_set.h"
#include "formats/taxonomy/taxonomy.h"

namespace warpseq {

/// The values of the columns about taxa.
struct TaxonNames {
    std::string taxid = "N/A", all_taxids = "0";
    // The first of each pair is of one taxon. The second is of all taxa, with semicolons between
    // them.
    std::string scientific = "N/A", all_scientific = "N/A";
    std::string common = "N/A", all_common = "N/A";
    std::string blast = "N/A", all_blast = "N/A";
    std::string kingdom = "N/A", all_kingdoms = "N/A";
};

/// Returns the names of a target's taxa. `taxid` is the one taxon, or 0 if it is not known.
/// `taxids` are all taxa, ascending, with a 0 if one is not known. Lists of scientific and common
/// names have a name for each taxon. Other lists have each name once. Lists leave out taxa that are
/// not known. Lists of scientific and common names keep them if the IDs are shown, too
/// (`beside_taxids`). If `tree` is null, no taxon is known. The IDs in the result keep their
/// defaults.
TaxonNames name_taxa(const Taxonomy* tree, std::uint64_t taxid, std::span<const std::uint64_t> taxids,
                     bool beside_taxids);

/// Returns names and IDs of the taxa of a database's sequence. The IDs come from the section of
/// taxonomy IDs, or from the definition lines if the sequence came from a BLAST database. Names are
/// looked up if `with_names`. Damage in the database is an error of WsdbReader::verify_unchanged(),
/// not of this function.
TaxonNames taxa_of(const DatabaseSet& databases, std::size_t database, std::uint64_t rank, std::string_view header,
                   bool with_names, bool beside_taxids);

}  // namespace warpseq
