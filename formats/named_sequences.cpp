#include "formats/named_sequences.h"

#include <algorithm>
#include <tuple>

#include "formats/name_candidates.h"
#include "formats/sequence_names.h"

namespace warpseq {

Result<std::vector<NamedSequence>> find_named_sequences(std::span<const std::string_view> names,
                                                        std::span<const WsdbSet::Volume> volumes,
                                                        const ThreadPool& pool) {
    struct Found {
        NamedSequence sequence;
        std::uint64_t position;
    };
    std::vector<Found> found;
    std::vector<bool> has_whole(names.size());
    for (std::size_t v = 0; v < volumes.size(); ++v) {
        const WsdbReader& reader = volumes[v].reader;
        const auto candidates = find_name_candidates(names, reader, pool);
        if (!candidates.ok()) return candidates.status();
        HeaderBuffer headers;
        for (const NameCandidate& candidate : *candidates) {
            if (volumes[v].removed && volumes[v].removed->has(candidate.rank)) continue;
            const auto header = reader.header(candidate.rank, headers);
            if (!header.ok()) return header.status();
            const NameMatch match = match_name(*header, names[candidate.name]);
            if (match == NameMatch::kNone) continue;
            const bool is_whole = match == NameMatch::kWhole;
            if (is_whole) has_whole[candidate.name] = true;
            found.push_back({{candidate.name, v, candidate.rank, is_whole}, reader.input_positions()[candidate.rank]});
        }
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

}  // namespace warpseq
