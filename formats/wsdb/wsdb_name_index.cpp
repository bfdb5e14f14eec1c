#include "formats/wsdb/wsdb_name_index.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/io/byte_spans.h"
#include "formats/wsdb/wsdb_layout.h"

namespace warpseq {

namespace {

/// Reads names in groups. Identifiers are looked at only in groups where a hash occurs twice.
class NameGroups {
   public:
    explicit NameGroups(ExternalSort& by_name) : by_name_(by_name) {}

    Result<bool> next() {
        heads_ = std::exchange(held_back_, {});
        while (heads_.size() < kNamesAtOnce) {
            SortHead head;
            const auto more = by_name_.next_head(head);
            if (!more.ok()) return more.status();
            if (!*more) break;
            heads_.push_back(head);
        }
        if (heads_.empty()) return false;
        // Names of one hash stay together, unless they are as many as a group.
        if (heads_.size() >= kNamesAtOnce) {
            auto cut = heads_.end();
            while (cut != heads_.begin() && (cut - 1)->key[0] == heads_.back().key[0]) --cut;
            if (cut != heads_.begin()) {
                held_back_.assign(cut, heads_.end());
                heads_.erase(cut, heads_.end());
            }
        }
        const auto same = [](const SortHead& a, const SortHead& b) { return a.key[0] == b.key[0]; };
        if (heads_.front().key[0] == hash_ || std::ranges::adjacent_find(heads_, same) != heads_.end())
            WARPSEQ_TRY(find_duplicates());
        return true;
    }

    const std::vector<SortHead>& heads() const { return heads_; }
    const WsdbDuplicates& duplicates() const { return duplicates_; }

   private:
    static constexpr std::size_t kNamesAtOnce = 16384;

    Status find_duplicates() {
        WARPSEQ_TRY(by_name_.load(heads_, loaded_));
        for (std::size_t i = 0; i < heads_.size(); ++i) {
            if (heads_[i].key[0] != hash_) {
                hash_ = heads_[i].key[0];
                has_first_ = false;
                others_.clear();
            }
            const std::span<const std::uint8_t> payload = loaded_.payloads[i];
            if (payload.empty()) continue;
            const std::string_view identifier(reinterpret_cast<const char*>(payload.data()) + 1, payload.size() - 1);
            if (!has_first_) {
                first_ = identifier;
                has_first_ = true;
            } else if (identifier == first_ || !others_.emplace(identifier).second) {
                if (duplicates_.sequences++ == 0) duplicates_.example = identifier;
            }
        }
        return {};
    }

    ExternalSort& by_name_;
    std::vector<SortHead> heads_, held_back_;
    SortPayloads loaded_;
    WsdbDuplicates duplicates_;
    // Equal identifiers have the same first name, so they follow each other among all sequences
    // with names of one hash. Those that differ are kept until the hash changes; nearly always
    // there is one.
    std::uint64_t hash_ = 0;
    std::string first_;
    bool has_first_ = false;
    std::set<std::string, std::less<>> others_;
};

}  // namespace

Result<WsdbDuplicates> append_name_index(ExternalSort& by_name, std::uint64_t spare_bytes,
                                         WsdbSectionWriter& sections) {
    WARPSEQ_TRY(by_name.finish(spare_bytes));
    WARPSEQ_TRY(sections.begin(wsdb::SectionType::kNameIndex));
    NameGroups groups(by_name);
    std::vector<wsdb::NameEntry> entries;
    for (;;) {
        const Result<bool> more = groups.next();
        if (!more.ok()) return more.status();
        if (!*more) break;
        entries.clear();
        for (const SortHead& head : groups.heads()) entries.push_back({head.key[0], head.key[1]});
        WARPSEQ_TRY(sections.write(column_bytes(entries)));
    }
    sections.end();
    return groups.duplicates();
}

}  // namespace warpseq
