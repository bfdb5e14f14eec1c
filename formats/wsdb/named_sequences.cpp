#include "formats/wsdb/named_sequences.h"

#include <algorithm>
#include <tuple>

#include "formats/fasta/name_matcher.h"
#include "formats/fasta/sequence_names.h"
#include "formats/io/shown_text.h"
#include "formats/wsdb/name_candidates.h"
#include "libcore/base/number_format.h"
#include "libcore/base/stop_scope.h"

namespace warpseq {

Result<std::vector<NamedSequence>> find_named_sequences(std::span<const std::string_view> names,
                                                        std::span<const WsdbSet::Volume> volumes,
                                                        const ThreadPool& pool) {
    struct Found {
        NamedSequence sequence;
        std::uint64_t position;
    };
    const NameMatcher matcher(names);
    WARPSEQ_TRY(StopScope::check());
    std::vector<std::vector<std::size_t>> names_of_group(matcher.groups());
    for (std::size_t n = 0; n < names.size(); ++n) names_of_group[matcher.group_of(n)].push_back(n);
    std::vector<Found> found;
    for (std::size_t v = 0; v < volumes.size(); ++v) {
        const WsdbReader& reader = volumes[v].reader;
        const auto candidates = find_candidates(matcher.index_hashes(), reader, pool);
        if (!candidates.ok()) return candidates.status();
        std::vector<std::vector<Found>> of_thread(pool.threads());
        WARPSEQ_TRY(for_each_header(
            *candidates, reader, pool, [&](std::uint64_t rank, std::string_view header, unsigned thread) -> Status {
                if (volumes[v].removed && volumes[v].removed->has(rank)) return {};
                std::vector<std::size_t> groups;
                if (!matcher.match(header, [&](std::size_t group) { groups.push_back(group); })) return {};
                std::ranges::sort(groups);
                groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
                const std::vector<std::string_view> identifiers = identifiers_of(header);
                for (const std::size_t group : groups) {
                    for (const std::size_t name : names_of_group[group]) {
                        const bool is_whole = std::ranges::find(identifiers, names[name]) != identifiers.end();
                        of_thread[thread].push_back({{name, v, rank, is_whole}, reader.input_positions()[rank]});
                    }
                }
                return {};
            }));
        for (const auto& some : of_thread) found.insert(found.end(), some.begin(), some.end());
    }
    std::vector<bool> has_whole(names.size());
    for (const Found& each : found) {
        if (each.sequence.is_whole) has_whole[each.sequence.name] = true;
    }
    std::ranges::sort(found, {}, [](const Found& each) {
        return std::tuple(each.sequence.name, each.sequence.volume, each.position);
    });
    std::vector<NamedSequence> sequences;
    for (const Found& each : found) {
        if (each.sequence.is_whole || !has_whole[each.sequence.name]) sequences.push_back(each.sequence);
    }
    return sequences;
}

Result<std::vector<NamedSequence>> find_named_sequence(std::string_view name,
                                                       std::span<const WsdbSet::Volume> volumes) {
    std::vector<NamedSequence> whole, part;
    for (std::size_t v = 0; v < volumes.size(); ++v) {
        const WsdbReader& reader = volumes[v].reader;
        std::vector<std::uint64_t> candidates;
        WARPSEQ_TRY(reader.find_candidates(name, candidates));
        std::ranges::sort(candidates, {}, [&](std::uint64_t rank) { return reader.input_positions()[rank]; });
        for (const std::uint64_t rank : candidates) {
            if (volumes[v].removed && volumes[v].removed->has(rank)) continue;
            const auto header = reader.header(rank);
            if (!header.ok()) return header.status();
            const NameMatch match = match_name(*header, name);
            if (match == NameMatch::kWhole) whole.push_back({0, v, rank, true});
            if (match == NameMatch::kPart) part.push_back({0, v, rank, false});
        }
    }
    return whole.empty() ? part : whole;
}

std::string missing_names_text(std::string_view database, std::span<const std::string_view> missing,
                               std::size_t asked) {
    constexpr std::size_t kShown = 10;
    std::string names;
    for (std::size_t n = 0; n < std::min(missing.size(), kShown); ++n)
        names += (n == 0 ? "" : ", ") + shown_text(missing[n]);
    return std::string(database) + ": " + format_count(missing.size()) + " of " + format_count(asked) +
           " identifiers are not in it: " + names + (missing.size() > kShown ? ", ..." : "");
}

}  // namespace warpseq
