#include "reports/taxon_names.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

namespace warpseq {

namespace {

constexpr std::string_view kUnknown = "N/A";

std::string_view or_unknown(std::string_view name) { return name.empty() ? kUnknown : name; }

void add(std::string_view name, std::string& list) {
    if (!list.empty()) list += ';';
    list += name;
}

std::string joined(const std::set<std::string_view>& names) {
    std::string list;
    for (const std::string_view name : names) add(name, list);
    return names.empty() ? std::string(kUnknown) : list;
}

}  // namespace

TaxonNames name_taxa(const Taxonomy* tree, std::uint64_t taxid, std::span<const std::uint64_t> taxids,
                     bool beside_taxids) {
    static const Taxonomy kNone;
    const Taxonomy& known = tree != nullptr ? *tree : kNone;
    const auto number = [](std::uint64_t any) { return any <= kMostTaxid ? static_cast<std::uint32_t>(any) : 0; };
    TaxonNames names;
    names.scientific = or_unknown(known.scientific_name(number(taxid)));
    names.common = or_unknown(known.common_name(number(taxid)));
    names.blast = or_unknown(known.blast_name(number(taxid)));
    names.kingdom = or_unknown(known.kingdom(number(taxid)));
    if (taxids.empty()) return names;
    names.all_scientific.clear();
    names.all_common.clear();
    std::set<std::string_view> blast, kingdoms;
    for (const std::uint64_t each : taxids) {
        const bool is_known = known.has(number(each));
        if (is_known || beside_taxids) {
            add(or_unknown(known.scientific_name(number(each))), names.all_scientific);
            add(or_unknown(known.common_name(number(each))), names.all_common);
        }
        if (const auto name = known.blast_name(number(each)); !name.empty()) blast.insert(name);
        if (const auto name = known.kingdom(number(each)); !name.empty()) kingdoms.insert(name);
    }
    if (names.all_scientific.empty()) names.all_scientific = names.all_common = kUnknown;
    names.all_blast = joined(blast);
    names.all_kingdoms = joined(kingdoms);
    return names;
}

TaxonNames taxa_of(const DatabaseFacts& databases, std::size_t database, std::uint64_t rank, std::string_view header,
                   bool with_names, bool beside_taxids) {
    const std::vector<std::uint32_t> known = databases.taxids(database, rank, header);
    const auto first = std::ranges::find_if(known, [](std::uint32_t taxid) { return taxid != 0; });
    const std::uint64_t taxid = first == known.end() ? 0 : *first;
    const std::set<std::uint64_t> distinct(known.begin(), known.end());
    const std::vector<std::uint64_t> taxids(distinct.begin(), distinct.end());
    std::shared_ptr<const Taxonomy> tree;
    if (with_names) {
        if (const auto read = databases.taxonomy(database); read.ok()) tree = *read;
    }
    TaxonNames names = name_taxa(tree.get(), taxid, taxids, beside_taxids);
    if (taxid != 0) names.taxid = std::to_string(taxid);
    names.all_taxids.clear();
    for (const std::uint64_t each : taxids) add(std::to_string(each), names.all_taxids);
    return names;
}

}  // namespace warpseq
