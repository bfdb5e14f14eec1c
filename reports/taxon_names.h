// Taxa of a target as tables name them, in the way of blastp's columns.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engines/targets/database_set.h"
#include "formats/taxonomy/taxonomy.h"

namespace warpseq {

struct TaxonNames {
    std::string taxid = "N/A", all_taxids = "0";
    // Of one taxon; of all, with semicolons between them.
    std::string scientific = "N/A", all_scientific = "N/A";
    std::string common = "N/A", all_common = "N/A";
    std::string blast = "N/A", all_blast = "N/A";
    std::string kingdom = "N/A", all_kingdoms = "N/A";
};

/// `taxid` is the one, 0 where it is not known; `taxids` are all, ascending, 0 among them where one
/// is not known. Scientific and common names are one for each, others each once. Those that are not
/// known are left out of lists, but of the first two kinds where the IDs are shown besides. A tree
/// that is null knows none. The numbers are left as they are.
TaxonNames name_taxa(const Taxonomy* tree, std::uint64_t taxid, std::span<const std::uint64_t> taxids,
                     bool beside_taxids);

/// The same of a sequence of a database, numbers too: what its section of taxonomy IDs says of it
/// or, of what came from a BLAST database, its definition lines. Names are looked up where they are
/// wanted. What is damaged is WsdbReader::verify_unchanged()'s error.
TaxonNames taxa_of(const DatabaseSet& databases, std::size_t database, std::uint64_t rank, std::string_view header,
                   bool with_names, bool beside_taxids);

}  // namespace warpseq
