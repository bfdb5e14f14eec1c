// Reads sections TAXIDS and TAXONOMY of a database.
#include <algorithm>
#include <utility>

#include "formats/wsdb/wsdb_map.h"

namespace warpseq {

using wsdb::SectionType;

bool WsdbReader::Map::read_taxids(std::uint64_t rank, std::vector<std::uint32_t>& taxids, bool& from_list,
                                  WsdbFaults& faults) const {
    taxids.assign(1, 0);
    const wsdb::SectionEntry& entry = section(SectionType::kTaxids);
    const std::uint8_t* const in_map = section_bytes(SectionType::kTaxids).data();
    // Copies a number of the section. Its place must have been found to be in the section.
    const auto read = [&](std::uint64_t offset_bytes, auto& number) {
        if (!check_bytes(SectionType::kTaxids, offset_bytes, sizeof number, faults)) return false;
        std::memcpy(&number, in_map + offset_bytes, sizeof number);
        return true;
    };
    const auto refuse = [&](std::uint64_t offset_bytes, std::string what, std::uint64_t most, std::uint64_t found) {
        faults.add(entry.offset_bytes + offset_bytes, std::move(what) + " of sequence " + std::to_string(rank),
                   "at most " + std::to_string(most), std::to_string(found));
        return false;
    };
    const std::uint64_t groups = wsdb::taxid_groups(header.sequences);
    const std::uint64_t lists = wsdb::taxid_lists_offset_bytes(header.sequences);
    const std::uint64_t list_numbers = (entry.size_bytes - lists) / sizeof(std::uint32_t);
    const std::uint64_t place = groups * sizeof(std::uint64_t) + rank * sizeof(std::uint32_t);
    std::uint32_t number = 0;
    if (!read(place, number)) return false;
    from_list = (number & wsdb::kTaxidList) != 0;
    if (!from_list) {
        taxids.assign(1, number);
        return true;
    }
    const std::uint64_t group = rank / wsdb::kTaxidGroupSequences * sizeof(std::uint64_t);
    std::uint64_t base = 0;
    if (!read(group, base)) return false;
    if (base > list_numbers) return refuse(group, "place of the lists of taxonomy IDs", list_numbers, base);
    const std::uint64_t first = base + (number & ~wsdb::kTaxidList);
    if (first >= list_numbers) return refuse(place, "place of the list of taxonomy IDs", list_numbers, first);
    std::uint32_t count = 0;
    if (!read(lists + first * sizeof count, count)) return false;
    if (count == 0 || count > list_numbers - first - 1)
        return refuse(lists + first * sizeof count, "number of taxonomy IDs", list_numbers - first - 1, count);
    const std::uint64_t begin = lists + (first + 1) * sizeof count;
    if (!check_bytes(SectionType::kTaxids, begin, count * sizeof count, faults)) return false;
    taxids.resize(count);
    std::memcpy(taxids.data(), in_map + begin, count * sizeof count);
    const auto wrong = std::ranges::find_if(taxids, [](std::uint32_t taxid) { return taxid > kMostTaxid; });
    if (wrong == taxids.end()) return true;
    const std::uint64_t place_of_wrong = begin + static_cast<std::uint64_t>(wrong - taxids.begin()) * sizeof count;
    const std::uint32_t found = *wrong;
    taxids.assign(1, 0);
    return refuse(place_of_wrong, "taxonomy ID", kMostTaxid, found);
}

bool WsdbReader::Map::check_taxids(WsdbFaults& faults) const {
    if (!check_section(SectionType::kTaxids, faults)) return false;
    const wsdb::SectionEntry& entry = section(SectionType::kTaxids);
    const std::uint8_t* const in_map = section_bytes(SectionType::kTaxids).data();
    const std::uint64_t words = wsdb::taxid_groups(header.sequences) * sizeof(std::uint64_t);
    const std::uint64_t lists = wsdb::taxid_lists_offset_bytes(header.sequences);
    const std::uint64_t list_numbers = (entry.size_bytes - lists) / sizeof(std::uint32_t);
    std::vector<std::uint32_t> taxids;
    std::uint64_t next = 0, base = 0;
    for (std::uint64_t rank = 0; rank < header.sequences; ++rank) {
        const std::uint64_t group = rank / wsdb::kTaxidGroupSequences;
        if (rank % wsdb::kTaxidGroupSequences == 0) {
            std::memcpy(&base, in_map + group * sizeof base, sizeof base);
            if (base != next) {
                faults.add_number(entry.offset_bytes + group * sizeof base,
                                  indexed("place of the lists of taxonomy IDs of group", group), next, base);
                return false;
            }
        }
        std::uint32_t number = 0;
        const std::uint64_t place = words + rank * sizeof number;
        std::memcpy(&number, in_map + place, sizeof number);
        if ((number & wsdb::kTaxidList) == 0) continue;
        if (base + (number & ~wsdb::kTaxidList) != next) {
            faults.add_number(entry.offset_bytes + place,
                              indexed("place of the list of taxonomy IDs of sequence", rank), next - base,
                              number & ~wsdb::kTaxidList);
            return false;
        }
        bool from_list = false;
        if (!read_taxids(rank, taxids, from_list, faults)) return false;
        if (std::ranges::all_of(taxids, [&](std::uint32_t taxid) { return taxid == taxids.front(); })) {
            faults.add(entry.offset_bytes + lists + next * sizeof number,
                       indexed("list of taxonomy IDs of sequence", rank), "different ones", "one, or the same ones");
            return false;
        }
        next += 1 + taxids.size();
    }
    if (next == list_numbers) return true;
    faults.add_number(entry.offset_bytes + lists, "numbers in all lists of taxonomy IDs", next, list_numbers);
    return false;
}

Result<std::shared_ptr<const Taxonomy>> WsdbReader::Map::taxonomy() const {
    const std::lock_guard lock(taxonomy_mutex);
    if (kept_taxonomy) return kept_taxonomy;
    Taxonomy tree;
    if (section(SectionType::kTaxonomy).type != 0) {
        const auto refuse = [this](Status status) {
            const std::lock_guard failure_lock(failure_mutex);
            if (failure.ok()) failure = status;
            return status;
        };
        auto text = section_copy(SectionType::kTaxonomy);
        if (!text.ok()) return refuse(text.status());
        auto parsed = Taxonomy::parse(*std::move(text));
        if (!parsed.ok() && parsed.status().code() == StatusCode::kInvalidInput)
            return refuse(Status::invalid_input(file.string() + ": byte " +
                                                std::to_string(section(SectionType::kTaxonomy).offset_bytes) +
                                                ": section TAXONOMY, " + parsed.status().message()));
        if (!parsed.ok()) return parsed.status();
        tree = *std::move(parsed);
    }
    kept_taxonomy = std::make_shared<const Taxonomy>(std::move(tree));
    return kept_taxonomy;
}

bool WsdbReader::has_taxids() const { return map_->has_taxids(); }

Status WsdbReader::distinct_taxids(std::uint64_t rank, std::vector<std::uint32_t>& taxids) const {
    assert(rank < map_->header.sequences);
    taxids.assign(1, 0);
    if (!has_taxids()) return {};
    WsdbFaults faults(false);
    bool from_list = false;
    if (map_->read_taxids(rank, taxids, from_list, faults)) return {};
    map_->keep_failure(faults);
    return map_->status_of(faults);
}

Status WsdbReader::taxids(std::uint64_t rank, std::size_t lines, std::vector<std::uint32_t>& taxids) const {
    assert(rank < map_->header.sequences);
    taxids.assign(lines, 0);
    if (!has_taxids()) return {};
    WsdbFaults faults(false);
    bool from_list = false;
    if (!map_->read_taxids(rank, taxids, from_list, faults)) {
        taxids.assign(lines, 0);
        map_->keep_failure(faults);
        return map_->status_of(faults);
    }
    if (!from_list) {
        taxids.resize(lines, taxids.front());
    } else if (taxids.size() != lines) {
        faults.add_number(map_->section(SectionType::kTaxids).offset_bytes,
                          "taxonomy IDs of sequence " + std::to_string(rank) + ", whose definition lines are", lines,
                          taxids.size());
        taxids.assign(lines, 0);
        map_->keep_failure(faults);
        return map_->status_of(faults);
    }
    return {};
}

Result<std::shared_ptr<const Taxonomy>> WsdbReader::taxonomy() const { return map_->taxonomy(); }

}  // namespace warpseq
