#include "bindings/searches/kept_databases.h"

#include <algorithm>
#include <set>
#include <utility>

namespace warpseq {
namespace {

using Place = std::pair<std::uint64_t, std::uint64_t>;  // database and rank

Place place_of(const KeptFacts::Sequence& sequence) { return {sequence.database, sequence.rank}; }

}  // namespace

Result<KeptFacts> kept_facts(const DatabaseFacts& databases, std::span<const KeptPlace> places) {
    KeptFacts facts;
    facts.searched_sequences = databases.searched_totals().sequences;
    facts.searched_residues = databases.searched_totals().residues;
    std::vector<std::set<std::uint32_t>> named(databases.size());  // taxa whose names are kept, by database
    for (const KeptPlace& place : places) {
        KeptFacts::Sequence& sequence = facts.sequences.emplace_back();
        sequence.database = place.database;
        sequence.rank = place.rank;
        sequence.number = databases.number_of(place.database, place.rank);
        sequence.whole_residues = databases.whole_residues(place.database, place.rank);
        sequence.taxids = databases.taxids(place.database, place.rank, place.header);
        named[place.database].insert(sequence.taxids.begin(), sequence.taxids.end());
        for (const std::uint64_t taxid : place.more_taxids)
            if (taxid <= kMostTaxid) named[place.database].insert(static_cast<std::uint32_t>(taxid));
    }
    std::ranges::sort(facts.sequences, {}, place_of);
    const auto is_same = [](const KeptFacts::Sequence& a, const KeptFacts::Sequence& b) {
        return place_of(a) == place_of(b);
    };
    facts.sequences.erase(std::unique(facts.sequences.begin(), facts.sequences.end(), is_same), facts.sequences.end());
    for (std::size_t d = 0; d < databases.size(); ++d) {
        KeptFacts::Database& database = facts.databases.emplace_back();
        database.file = databases.file(d).string();
        database.continues_set = databases.continues_set(d);
        database.sequences = databases.sequence_count(d);
        database.residues = databases.residue_count(d);
        database.content_digest = databases.content_digest(d);
        database.has_taxids = databases.has_taxids(d);
        named[d].erase(0);
        if (named[d].empty()) continue;
        const auto tree = databases.taxonomy(d);
        if (!tree.ok()) return tree.status();
        const std::vector<std::uint32_t> taxids(named[d].begin(), named[d].end());
        database.taxonomy = (*tree)->text_of(taxids);
    }
    return facts;
}

Result<std::shared_ptr<const KeptDatabases>> KeptDatabases::of(KeptFacts facts, std::string_view origin) {
    const auto impossible = [&] {
        return Status::invalid_input(std::string(origin) + ": damaged or forged: impossible facts about databases");
    };
    auto kept = std::make_shared<KeptDatabases>();
    for (const KeptFacts::Database& database : facts.databases) {
        if (kept->files_.empty() && database.continues_set) return impossible();
        auto tree = Taxonomy::parse(database.taxonomy);
        if (!tree.ok()) return impossible();
        kept->files_.emplace_back(database.file);
        kept->trees_.push_back(std::make_shared<const Taxonomy>(*std::move(tree)));
        kept->all_.sequences += database.sequences;
        kept->all_.residues += database.residues;
    }
    kept->searched_ = {facts.searched_sequences, facts.searched_residues, 0};
    for (const KeptFacts::Sequence& sequence : facts.sequences) {
        if (sequence.database >= facts.databases.size() ||
            std::ranges::any_of(sequence.taxids, [](std::uint32_t taxid) { return taxid > kMostTaxid; }))
            return impossible();
    }
    if (std::ranges::adjacent_find(facts.sequences, std::ranges::greater_equal(), place_of) != facts.sequences.end())
        return impossible();
    kept->facts_ = std::move(facts);
    return std::shared_ptr<const KeptDatabases>(std::move(kept));
}

const KeptFacts::Sequence* KeptDatabases::find(std::size_t database, std::uint64_t rank) const {
    const auto found = std::ranges::lower_bound(facts_.sequences, Place(database, rank), {}, place_of);
    return found != facts_.sequences.end() && found->database == database && found->rank == rank ? &*found : nullptr;
}

std::uint64_t KeptDatabases::number_of(std::size_t database, std::uint64_t rank) const {
    const KeptFacts::Sequence* const sequence = find(database, rank);
    return sequence == nullptr ? 0 : sequence->number;
}

std::uint64_t KeptDatabases::whole_residues(std::size_t database, std::uint64_t rank) const {
    const KeptFacts::Sequence* const sequence = find(database, rank);
    return sequence == nullptr ? 0 : sequence->whole_residues;
}

std::vector<std::uint32_t> KeptDatabases::taxids(std::size_t database, std::uint64_t rank, std::string_view) const {
    const KeptFacts::Sequence* const sequence = find(database, rank);
    return sequence == nullptr ? std::vector<std::uint32_t>() : sequence->taxids;
}

}  // namespace warpseq
