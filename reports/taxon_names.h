// Names the taxa of a target for tables, as blastp's columns do.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engines/targets/database_facts.h"
#include "formats/taxonomy/taxonomy.h"

namespace warpseq {

/// The values of the columns about taxa.
struct TaxonNames {
    std::string taxid = "N/A", all_taxids = "0";
    // The first of each pair is the name of one taxon. The second has the names of all taxa, with
    // semicolons between them.
    std::string scientific = "N/A", all_scientific = "N/A";
    std::string common = "N/A", all_common = "N/A";
    std::string blast = "N/A", all_blast = "N/A";
    std::string kingdom = "N/A", all_kingdoms = "N/A";
};

/// Returns the names of a target's taxa. `taxid` is the one taxon, or 0 if it is not known.
/// `taxids` are all taxa, ascending, with a 0 if one is not known. `tree` has the names of the
/// known taxa; if it is null, no taxon is known.
///
/// The lists of scientific and of common names have a name for each known taxon. If the IDs are
/// shown beside them (`beside_taxids`), they also have "N/A" for each unknown taxon. The other
/// lists have each name once, and leave out unknown taxa. The IDs in the result keep their
/// defaults.
TaxonNames name_taxa(const Taxonomy* tree, std::uint64_t taxid, std::span<const std::uint64_t> taxids,
                     bool beside_taxids);

/// Returns names and IDs of the taxa of a database's sequence (DatabaseFacts::taxids()). Names are
/// looked up if `with_names`. Damage in the database is an error of WsdbReader::verify_unchanged(),
/// not of this function.
TaxonNames taxa_of(const DatabaseFacts& databases, std::size_t database, std::uint64_t rank, std::string_view header,
                   bool with_names, bool beside_taxids);

}  // namespace warpseq
