#include "formats/wsdb_name_index.h"

#include <xxhash.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "formats/byte_spans.h"
#include "formats/wsdb_layout.h"
#include "formats/xxh3_state.h"

namespace warpseq {

Result<WsdbDuplicates> append_name_index(ExternalSort& by_name, WsdbSectionWriter& sections) {
    WARPSEQ_TRY(by_name.finish());
    WARPSEQ_TRY(sections.begin());
    const Xxh3State hash = make_xxh3_state();
    XXH3_64bits_reset(hash.get());
    constexpr std::size_t kEntriesAtOnce = 65536;
    std::vector<wsdb::NameEntry> entries;
    std::uint64_t written = 0;
    const auto flush = [&] {
        const auto bytes = column_bytes(entries);
        XXH3_64bits_update(hash.get(), bytes.data(), bytes.size());
        Status status = sections.write(bytes);
        written += entries.size();
        entries.clear();
        return status;
    };
    WsdbDuplicates duplicates;
    // Equal identifiers follow each other, and so do different ones with the same hash. Those that differ from the
    // first of their hash are kept until the hash changes.
    std::string first_name;
    std::vector<std::string> other_names;
    std::uint64_t current_hash = 0;
    bool at_start = true;
    SortItem item;
    for (;;) {
        auto next = by_name.next(item);
        if (!next.ok()) return next.status();
        if (!*next) break;
        const std::string_view name(reinterpret_cast<const char*>(item.payload.data()), item.payload.size());
        if (at_start || item.key[0] != current_hash) {
            at_start = false;
            current_hash = item.key[0];
            first_name = name;
            other_names.clear();
        } else if (name == first_name || std::ranges::find(other_names, name) != other_names.end()) {
            if (duplicates.sequences++ == 0) duplicates.example = name;
        } else {
            other_names.emplace_back(name);
        }
        by_name.release();
        entries.push_back({item.key[0], item.key[1]});
        if (entries.size() == kEntriesAtOnce) WARPSEQ_TRY(flush());
    }
    WARPSEQ_TRY(flush());
    sections.enter(wsdb::SectionType::kNameIndex, written, written * sizeof(wsdb::NameEntry),
                   XXH3_64bits_digest(hash.get()));
    return duplicates;
}

}  // namespace warpseq
