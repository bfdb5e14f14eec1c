#include "engines/targets/database_set.h"

#include <algorithm>
#include <utility>

#include "engines/targets/headers.h"
#include "formats/blast/blast_database.h"

namespace warpseq {

std::uint64_t first_sequence_of(const WsdbReader& reader, std::uint64_t tile) {
    const std::uint64_t linear = reader.linear_tile_count();
    const std::uint64_t first = tile <= linear ? tile : linear + (tile - linear) * kTileLanes;
    return std::min(first, reader.sequence_count());
}

Result<DatabaseSet> DatabaseSet::open(const std::vector<std::filesystem::path>& files) {
    DatabaseSet set;
    for (const auto& file : files) {
        auto reader = WsdbReader::open(file);
        if (!reader.ok()) return reader.status();
        set.add(file, {*std::move(reader)}, false);
    }
    return set;
}

Result<DatabaseSet> DatabaseSet::open(const std::vector<std::filesystem::path>& files, const TargetSettings& settings,
                                      const ThreadPool& pool, Observer& observer,
                                      const std::vector<std::filesystem::path>& names,
                                      const TargetOpener& open_converted) {
    DatabaseSet set;
    for (std::size_t f = 0; f < files.size(); ++f) {
        if (open_converted) {
            auto converted = open_converted(files[f]);
            if (!converted.ok()) return converted.status();
            if (*converted) {
                set.add(names.empty() ? files[f] : names[f], **std::move(converted), false);
                continue;
            }
        }
        auto targets = open_targets(files[f], settings, pool, observer);
        if (!targets.ok()) return targets.status();
        for (std::size_t volume = 0; volume < targets->size(); ++volume)
            set.add(names.empty() ? files[f] : names[f], std::move((*targets)[volume]), volume > 0);
    }
    return set;
}

void DatabaseSet::add(const std::filesystem::path& file, Target target, bool continues_set) {
    const WsdbReader& reader = target.reader;
    Part part;
    MemberTotals totals{reader.sequence_count(), reader.residue_count(), 0};
    if (!target.removed_ranks.empty()) {
        TargetMembers present = TargetMembers::all(reader.sequence_count());
        for (const std::uint64_t rank : target.removed_ranks) {
            if (rank >= reader.sequence_count() || !present.has(rank)) continue;
            present.remove(rank);
            --totals.sequences;
            totals.residues -= reader.lengths_residues()[rank];
        }
        part.present = part.searched = std::make_shared<const TargetMembers>(std::move(present));
        part.present_order = part.searched_order = std::make_shared<Part::Order>();
        has_members_ = true;
    }
    all_.sequences += totals.sequences;
    all_.residues += totals.residues;
    searched_.sequences += totals.sequences;
    searched_.residues += totals.residues;
    totals_.push_back(totals);
    searched_sequences_.push_back(totals.sequences);
    parts_.push_back(std::move(part));
    all_fasta_ = all_fasta_ && (target.is_fasta || target.is_blast_database);
    files_.push_back(file);
    continues_set_.push_back(continues_set);
    blast_facts_.push_back(std::move(target.blast));
    titles_.push_back(std::move(target.title));
    whole_residues_.push_back(std::move(target.whole_residues));
    readers_.push_back(std::move(target.reader));
    readers_.back().close_descriptor();
}

void DatabaseSet::restrict_search(std::vector<TargetMembers> members) {
    searched_ = {};
    for (std::size_t d = 0; d < readers_.size(); ++d) {
        Part& part = parts_[d];
        if (part.present) members[d].keep_common(*part.present);
        const MemberTotals totals = totals_of(members[d], readers_[d]);
        searched_.sequences += totals.sequences;
        searched_.residues += totals.residues;
        searched_sequences_[d] = totals.sequences;
        part.searched = std::make_shared<const TargetMembers>(std::move(members[d]));
        part.searched_order = std::make_shared<Part::Order>();
    }
    has_members_ = is_restricted_ = true;
}

std::uint64_t DatabaseSet::stored_sequence_count() const {
    std::uint64_t count = 0;
    for (const WsdbReader& reader : readers_) count += reader.sequence_count();
    return count;
}

std::uint64_t DatabaseSet::shortest_searched_residues() const {
    std::uint64_t shortest = 0;
    for (std::size_t d = 0; d < readers_.size(); ++d) {
        const TargetMembers* members = searched(d);
        const std::uint64_t of_database =
            totals_of(members != nullptr ? *members : TargetMembers::all(readers_[d].sequence_count()), readers_[d])
                .shortest_residues;
        if (of_database > 0) shortest = shortest == 0 ? of_database : std::min(shortest, of_database);
    }
    return shortest;
}

std::uint64_t DatabaseSet::members_before(std::size_t database, std::uint64_t rank, const TargetMembers* members,
                                          Part::Order& order) const {
    order.once.call([&] { order.order.emplace(*members, readers_[database]); });
    return order.order->members_before(readers_[database].input_positions()[rank]);
}

std::uint64_t DatabaseSet::number_of(std::size_t database, std::uint64_t rank) const {
    std::uint64_t before = 0;
    for (std::size_t d = 0; d < database; ++d) before += totals_[d].sequences;
    const Part& part = parts_[database];
    if (!part.present) return before + readers_[database].input_positions()[rank];
    return before + members_before(database, rank, part.present.get(), *part.present_order);
}

std::uint64_t DatabaseSet::searched_before(std::size_t database, std::uint64_t rank) const {
    std::uint64_t before = 0;
    for (std::size_t d = 0; d < database; ++d) before += searched_sequences_[d];
    const Part& part = parts_[database];
    if (!part.searched) return before + readers_[database].input_positions()[rank];
    return before + members_before(database, rank, part.searched.get(), *part.searched_order);
}

std::optional<std::string> DatabaseSet::content_digest(std::size_t database) const {
    return present(database) == nullptr ? std::optional(readers_[database].content_digest()) : std::nullopt;
}

std::vector<std::uint32_t> DatabaseSet::taxids(std::size_t database, std::uint64_t rank,
                                               std::string_view header) const {
    const WsdbReader& reader = readers_[database];
    const auto& facts = blast_facts_[database];
    if (facts && facts->has_taxids) return marked_taxids(marked_header(reader, rank, header, true));
    std::vector<std::uint32_t> known;
    static_cast<void>(reader.distinct_taxids(rank, known));
    return known;
}

Status DatabaseSet::verify_unchanged(const ThreadPool& pool) const {
    for (const WsdbReader& reader : readers_) WARPSEQ_TRY(reader.verify_unchanged(pool));
    return {};
}

}  // namespace warpseq
