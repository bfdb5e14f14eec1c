#include "formats/fasta/name_matcher.h"

#include <algorithm>
#include <array>

#include "formats/io/checksum.h"

namespace warpseq {

std::size_t NameMatcher::Hash::operator()(const NameParts& parts) const {
    const std::hash<std::string_view> hash;
    constexpr std::size_t kOdd = 0x9e3779b97f4a7c15U;
    return (hash(parts.base) * kOdd + hash(parts.version)) * kOdd + hash(parts.chain);
}

NameMatcher::NameMatcher(std::span<const std::string_view> names) {
    group_of_.reserve(names.size());
    for (const std::string_view asked : names) {
        const auto [group, is_first] = groups_by_parts_.emplace(asked_parts_of(asked), groups_);
        if (is_first) ++groups_;
        group_of_.push_back(group->second);
    }
    index_hashes_.reserve(groups_by_parts_.size());
    for (const auto& [parts, group] : groups_by_parts_)
        index_hashes_.push_back(checksum_of(parts.base.data(), parts.base.size()));
    std::ranges::sort(index_hashes_);
    index_hashes_.erase(std::unique(index_hashes_.begin(), index_hashes_.end()), index_hashes_.end());
}

bool NameMatcher::match(std::string_view header, const std::function<void(std::size_t group)>& use) const {
    bool any = false;
    for_each_identifier_of(header, [&](std::string_view, std::span<const NameParts> names) {
        for (const NameParts& name : names) {
            // A name that is requested without a version or a chain matches any sequence with the
            // same base.
            const std::array<NameParts, 4> asked{NameParts{name.base, {}, {}}, NameParts{name.base, name.version, {}},
                                                 NameParts{name.base, {}, name.chain}, name};
            for (std::size_t a = 0; a < asked.size(); ++a) {
                if (std::find(asked.begin(), asked.begin() + static_cast<std::ptrdiff_t>(a), asked[a]) !=
                    asked.begin() + static_cast<std::ptrdiff_t>(a))
                    continue;
                const auto group = groups_by_parts_.find(asked[a]);
                if (group == groups_by_parts_.end()) continue;
                any = true;
                use(group->second);
            }
        }
    });
    return any;
}

}  // namespace warpseq
