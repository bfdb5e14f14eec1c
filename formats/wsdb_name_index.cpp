#include "formats/wsdb_name_index.h"

#include <functional>
#include <set>
#include <string_view>
#include <vector>

#include "formats/byte_spans.h"
#include "formats/wsdb_layout.h"

namespace warpseq {

Result<WsdbDuplicates> append_name_index(ExternalSort& by_name, WsdbSectionWriter& sections) {
    WARPSEQ_TRY(by_name.finish());
    WARPSEQ_TRY(sections.begin(wsdb::SectionType::kNameIndex));
    constexpr std::size_t kEntriesAtOnce = 65536;
    std::vector<wsdb::NameEntry> entries;
    const auto flush = [&] {
        Status status = sections.write(column_bytes(entries));
        entries.clear();
        return status;
    };
    WsdbDuplicates duplicates;
    // Equal identifiers have the same first name, so they follow each other among all sequences with names of one hash. Those
    // that differ are kept until the hash changes; nearly always there is one.
    std::string first;
    bool has_first = false;
    std::set<std::string, std::less<>> others;
    std::uint64_t current_hash = 0;
    SortItem item;
    for (;;) {
        auto next = by_name.next(item);
        if (!next.ok()) return next.status();
        if (!*next) break;
        if (item.key[0] != current_hash) {
            current_hash = item.key[0];
            has_first = false;
            others.clear();
        }
        if (!item.payload.empty()) {
            const std::string_view identifier(reinterpret_cast<const char*>(item.payload.data()) + 1,
                                              item.payload.size() - 1);
            if (!has_first) {
                first = identifier;
                has_first = true;
            } else if (identifier == first || !others.emplace(identifier).second) {
                if (duplicates.sequences++ == 0) duplicates.example = identifier;
            }
        }
        by_name.release();
        entries.push_back({item.key[0], item.key[1]});
        if (entries.size() == kEntriesAtOnce) WARPSEQ_TRY(flush());
    }
    WARPSEQ_TRY(flush());
    sections.end();
    return duplicates;
}

}  // namespace warpseq
