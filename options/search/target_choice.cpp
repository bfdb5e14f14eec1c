#include "options/search/target_choice.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/targets/headers.h"
#include "options/arguments.h"
#include "options/search/choice_of_volumes.h"
#include "options/search/listed_targets.h"

namespace warpseq {
namespace {

/// Whether definition lines of a database end with taxonomy IDs, besides those of its section.
bool has_marks(const DatabaseSet& databases, std::size_t database) {
    const auto& facts = databases.blast_facts(database);
    return facts && facts->has_taxids;
}

/// Removes sequences without a chosen taxon. Headers are not read.
Status keep_taxa(const WsdbReader& reader, const TaxidsOfDatabase& taxids, const DeflineChoice& lines,
                 const ThreadPool& pool, TargetMembers& members) {
    constexpr std::uint64_t kPiece = std::uint64_t{1} << 14, kAtOnce = std::uint64_t{1} << 20;
    const std::uint64_t count = reader.sequence_count();
    std::vector<unsigned char> is_chosen;
    std::vector<std::vector<std::uint32_t>> of_threads(pool.threads());
    for (std::uint64_t first = 0; first < count; first += kAtOnce) {
        const std::uint64_t end = std::min(count, first + kAtOnce);
        is_chosen.assign(static_cast<std::size_t>(end - first), 1);
        WARPSEQ_TRY(pool.parallel_for((end - first + kPiece - 1) / kPiece, [&](std::uint64_t piece, unsigned thread) {
            const std::uint64_t piece_end = std::min(end, first + (piece + 1) * kPiece);
            for (std::uint64_t rank = first + piece * kPiece; rank < piece_end; ++rank) {
                if (!members.has(rank)) continue;
                WARPSEQ_TRY(reader.distinct_taxids(rank, of_threads[thread]));
                is_chosen[rank - first] = lines.has_any_taxid(of_threads[thread], taxids) ? 1 : 0;
            }
            return Status();
        }));
        for (std::uint64_t rank = first; rank < end; ++rank) {
            if (is_chosen[rank - first] == 0) members.remove(rank);
        }
    }
    return {};
}

/// Removes sequences without a chosen definition line.
Status keep_chosen(const DatabaseSet& databases, const TargetChoice& choice, const DeflineChoice& lines,
                   const ThreadPool& pool, std::vector<TargetMembers>& members) {
    if (choice.sequences && !choice.taxa) {
        const auto are_kept = keep_listed(databases, choice, lines, pool, members);
        if (!are_kept.ok() || *are_kept) return are_kept.status();
    }
    constexpr std::uint64_t kAtOnce = std::uint64_t{1} << 20;
    std::vector<SequencePlace> places;
    std::vector<unsigned char> is_chosen;
    for (std::uint32_t d = 0; d < databases.size(); ++d) {
        const WsdbReader& reader = databases.reader(d);
        const TaxidsOfDatabase taxids = choice.taxids_of(reader, d);
        if (!choice.sequences && reader.has_taxids() && !has_marks(databases, d)) {
            WARPSEQ_TRY(keep_taxa(reader, taxids, lines, pool, members[d]));
            continue;
        }
        const std::uint64_t count = reader.sequence_count();
        for (std::uint64_t first = 0; first < count; first += kAtOnce) {
            places.clear();
            for (std::uint64_t rank = first; rank < std::min(count, first + kAtOnce); ++rank) {
                if (members[d].has(rank)) places.push_back({d, rank});
            }
            is_chosen.assign(places.size(), 0);
            WARPSEQ_TRY(for_each_header(databases, places, pool, [&](std::size_t i, std::string_view header) {
                const auto is_any = [&](std::string_view lines_of_it) {
                    return lines.has_any_line(lines_of_it, taxids) ? 1 : 0;
                };
                is_chosen[i] = static_cast<unsigned char>(
                    choice.taxa && reader.has_taxids()
                        ? is_any(marked_header(reader, places[i].rank, header, has_marks(databases, d)))
                        : is_any(header));
            }));
            for (std::size_t i = 0; i < places.size(); ++i) {
                if (is_chosen[i] == 0) members[d].remove(places[i].rank);
            }
        }
    }
    return {};
}

/// Removes sequences that are searched in another database.
void leave_out_repeated(const DatabaseSet& databases, const std::vector<RepeatedSequences>& repeated,
                        std::vector<TargetMembers>& members) {
    for (std::size_t d = 0; d < databases.size(); ++d) {
        const WsdbReader& reader = databases.reader(d);
        for (std::uint64_t rank = 0; rank < reader.sequence_count(); ++rank) {
            const std::uint64_t position = reader.input_positions()[rank];
            const bool is_repeated = std::ranges::any_of(repeated, [&](const RepeatedSequences& sequences) {
                return sequences.database == d && position >= sequences.first && position < sequences.end;
            });
            if (is_repeated) members[d].remove(rank);
        }
    }
}

}  // namespace

Result<std::optional<TaxonList>> with_descendants(const DatabaseSet& databases, const std::optional<TaxonList>& taxa) {
    if (!taxa) return taxa;
    std::vector<std::uint32_t> given;
    for (const std::uint64_t taxid : taxa->taxids) given.push_back(static_cast<std::uint32_t>(taxid));
    TaxonList all = *taxa;
    for (std::size_t d = 0; d < databases.size(); ++d) {
        const auto tree = databases.reader(d).taxonomy();
        if (!tree.ok()) return tree.status();
        const std::vector<std::uint32_t> found = (*tree)->with_descendants(given);
        all.taxids.insert(all.taxids.end(), found.begin(), found.end());
    }
    std::ranges::sort(all.taxids);
    all.taxids.erase(std::unique(all.taxids.begin(), all.taxids.end()), all.taxids.end());
    return std::optional<TaxonList>(std::move(all));
}

Result<std::vector<TargetMembers>> choose_targets(const DatabaseSet& databases, const TargetChoice& choice,
                                                  const DeflineChoice& lines, const ThreadPool& pool) {
    std::vector<TargetMembers> members;
    for (std::size_t d = 0; d < databases.size(); ++d) {
        const TargetMembers* present = databases.present(d);
        members.push_back(present != nullptr ? *present : TargetMembers::all(databases.reader(d).sequence_count()));
    }
    if (choice.sequences || choice.taxa) {
        WARPSEQ_TRY(keep_chosen(databases, choice, lines, pool, members));
        if (choice.taxa && !choice.sequences && !lines.has_decided()) {
            return Status::invalid_input(choice.taxa->option +
                                         (choice.taxa->are_left_out
                                              ? ": leaves no sequence of the databases out"
                                              : ": no sequence of the databases has one of these taxonomy IDs"))
                .with(Advice::kTaxids);
        }
        const bool is_empty =
            std::ranges::all_of(members, [](const TargetMembers& of_database) { return of_database.count() == 0; });
        if (is_empty && !choice.may_be_empty) {
            const std::string list = choice.sequences ? choice.sequences->file.string() : choice.taxa->option;
            const bool are_left_out = choice.sequences ? choice.sequences->are_left_out : choice.taxa->are_left_out;
            return Status::invalid_input(list + (are_left_out ? ": names all sequences of the databases"
                                                              : ": names no sequence of the databases"));
        }
    }
    if (!choice.repeated.empty()) leave_out_repeated(databases, choice.repeated, members);
    return members;
}

std::function<Result<std::vector<TargetMembers>>(const DatabaseSet& databases, const ThreadPool& pool)> target_chooser(
    TargetChoice choice, std::function<void(std::shared_ptr<const DeflineChoice>)> use_lines) {
    return [choice = std::move(choice), use_lines = std::move(use_lines)](
               const DatabaseSet& databases, const ThreadPool& pool) -> Result<std::vector<TargetMembers>> {
        const auto taxa = with_descendants(databases, choice.taxa);
        if (!taxa.ok()) return taxa.status();
        auto lines = DeflineChoice::read(choice.sequences, *taxa);
        if (!lines.ok()) return lines.status();
        auto members = choose_targets(databases, choice_of_volumes(choice, databases), **lines, pool);
        if (members.ok()) use_lines(*std::move(lines));
        return members;
    };
}

}  // namespace warpseq
