#include "formats/wsdb/target_records.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "formats/fasta/hmmer_fasta.h"

namespace warpseq {

namespace {

/// A sequence that is not removed.
struct Place {
    std::size_t target = 0;
    std::uint64_t position = 0, rank = 0;  // position: in the input of its target
    bool operator<(const Place& other) const {
        return std::tie(target, position) < std::tie(other.target, other.position);
    }
};

/// Returns all sequences that are not removed, in the order of the input.
std::vector<Place> places_of(const std::vector<Target>& targets) {
    std::vector<Place> places;
    for (std::size_t t = 0; t < targets.size(); ++t) {
        const WsdbReader& reader = targets[t].reader;
        std::vector<bool> is_removed(static_cast<std::size_t>(reader.sequence_count()));
        for (const std::uint64_t rank : targets[t].removed_ranks)
            if (rank < is_removed.size()) is_removed[static_cast<std::size_t>(rank)] = true;
        for (std::size_t rank = 0; rank < is_removed.size(); ++rank)
            if (!is_removed[rank]) places.push_back({t, std::uint64_t{reader.input_positions()[rank]}, rank});
    }
    std::sort(places.begin(), places.end());
    return places;
}

bool has_name(std::string_view header, const std::string& name) {
    const HmmerTitle title = hmmer_title(header);
    return title.name == name || (!title.accession.empty() && title.accession == name);
}

/// Returns the first of `places` whose sequence has this name.
Result<std::optional<Place>> place_of(const std::string& name, std::vector<Place> places,
                                      const std::vector<Target>& targets) {
    // Headers are read in the order in which a database stores them.
    std::sort(places.begin(), places.end(),
              [](const Place& a, const Place& b) { return std::tie(a.target, a.rank) < std::tie(b.target, b.rank); });
    std::optional<Place> first;
    HeaderBuffer buffer;
    for (const Place& place : places) {
        if (first && first->target != place.target) break;
        const auto header = targets[place.target].reader.header(place.rank, buffer);
        if (!header.ok()) return header.status();
        if (has_name(*header, name) && (!first || place < *first)) first = place;
    }
    return first;
}

}  // namespace

Status keep_records(const TargetRecords& records, std::vector<Target>& targets) {
    const std::vector<Place> places = places_of(targets);
    auto begin = places.begin();
    if (records.first) {
        const auto first = place_of(*records.first, places, targets);
        if (!first.ok()) return first.status();
        if (!*first) return Status::invalid_input("Failure setting restrictdb_stkey to " + *records.first);
        begin = std::lower_bound(places.begin(), places.end(), **first);
    }
    const auto left = static_cast<std::uint64_t>(places.end() - begin);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(records.most, left));
    for (auto place = places.begin(); place != places.end(); ++place)
        if (place < begin || place >= end) targets[place->target].removed_ranks.push_back(place->rank);
    return {};
}

}  // namespace warpseq
