#include "reports/blast/searched_databases.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "engines/targets/headers.h"
#include "reports/blast/blastp_report_text.h"
#include "reports/blast/joined_targets.h"

namespace warpseq {
namespace {

/// Copies what is known about a set to each of its volumes.
void add_volumes(const DatabaseSet& databases, BlastpNames& names) {
    if (names.each.empty() || names.each.size() == databases.size()) return;
    std::vector<BlastpNames::Database> each;
    std::size_t given = 0;
    for (std::size_t d = 0; d < databases.size(); ++d) {
        each.push_back(names.of(given));
        if (d + 1 < databases.size() && !databases.continues_set(d + 1)) ++given;
    }
    names.each = std::move(each);
}

}  // namespace

BlastpNames names_of_files(const std::vector<std::filesystem::path>& files) {
    BlastpNames names{.version = blastp_version(), .databases = {}, .title = {}};
    for (const auto& file : files) {
        names.databases += (names.databases.empty() ? "" : " ") + file.string();
        names.title += (names.title.empty() ? "" : "; ") + file.filename().string();
    }
    return names;
}

void name_databases(const DatabaseSet& databases, BlastpNames& names) {
    if (!names.are_subjects) add_volumes(databases, names);
    bool are_any = false;
    for (std::size_t d = 0; d < databases.size(); ++d)
        are_any = are_any || databases.blast_facts(d).has_value() || !databases.title(d).empty();
    if (!are_any || names.are_subjects) return;
    const bool are_known = !names.each.empty();
    names.each.resize(databases.size());
    names.title.clear();
    bool are_titled = !are_known;  // whether all databases have titles of their own
    for (std::size_t d = 0; d < databases.size(); ++d) {
        BlastpNames::Database& each = names.each[d];
        if (!are_known) each.title = databases.file(d).filename().string();
        if (const auto& facts = databases.blast_facts(d)) {
            if (!facts->title.empty()) each.title = facts->title;
            each.date = facts->date;
            each.has_parsed_ids = facts->has_parsed_ids;
            each.has_taxids = facts->has_taxids;
        }
        if (!databases.title(d).empty()) each.title = databases.title(d);
        const auto& facts = databases.blast_facts(d);
        are_titled = are_titled && (!databases.title(d).empty() || (facts && !facts->title.empty()));
    }
    std::vector<std::size_t> order(databases.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t d) { return names.each[d].place; });
    // If all databases have the same title, they are parts of one and have that title together.
    const auto is_called_as_first = [&](const BlastpNames::Database& each) {
        return each.title == names.each.front().title;
    };
    if (are_titled && std::ranges::all_of(names.each, is_called_as_first)) {
        names.title = names.each.front().title;
        return;
    }
    for (const std::size_t d : order) {
        if (databases.continues_set(d)) continue;
        names.title += (names.title.empty() ? "" : "; ") + names.each[d].title;
    }
}

Status find_taxa(const DatabaseFacts& databases, bool with_names, BlastpNames& names) {
    names.taxa.resize(databases.size());
    for (std::size_t d = 0; d < databases.size() && !names.are_subjects; ++d) {
        names.taxa[d].are_in_lines = databases.has_taxids(d);
        if (!with_names) continue;
        auto tree = databases.taxonomy(d);
        if (!tree.ok()) return tree.status();
        names.taxa[d].tree = *std::move(tree);
    }
    return {};
}

void prepare_headers(const DatabaseSet& databases, const BlastpNames& names, const ShownLines& shown_lines,
                     bool are_joined, BlastpQueryResult& result) {
    for (std::size_t h = 0; h < result.headers.size(); ++h) {
        const BlastpHit& hit = result.hits[h];
        std::string& header = result.headers[h];
        const WsdbReader& reader = databases.reader(hit.database);
        if (!names.are_subjects && reader.has_taxids())
            header = marked_header(reader, hit.rank, header, names.of(hit.database).has_taxids);
        if (shown_lines) header = shown_lines(hit, header);
    }
    if (are_joined) join_targets(names, databases, result.hits, result.headers);
}

}  // namespace warpseq
