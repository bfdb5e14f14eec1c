// NameMatcher finds which of many names a header has. The time does not grow with the number of
// names that are alike. In an index of names, "2021_0001" to "2021_9999" are one name, 2021, and
// 10,000 copies of "hypothetical" are one name too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/fasta/sequence_names.h"

namespace warpseq {

/// A set of requested names, in groups. Names with the same parts (asked_parts_of()) form a group,
/// because they are names of the same sequences.
class NameMatcher {
   public:
    NameMatcher() = default;
    /// The text of `names` has to outlive this object.
    explicit NameMatcher(std::span<const std::string_view> names);

    std::size_t groups() const { return groups_; }
    std::size_t group_of(std::size_t name) const { return group_of_[name]; }
    /// Returns the hashes of the names as an index of names stores them: ascending, each once.
    const std::vector<std::uint64_t>& index_hashes() const { return index_hashes_; }

    /// Calls `use` with each group whose names match_name() finds in the header, possibly more than
    /// once. Returns whether there was any. Thread-safe.
    bool match(std::string_view header, const std::function<void(std::size_t group)>& use) const;

   private:
    struct Hash {
        std::size_t operator()(const NameParts& parts) const;
    };
    std::size_t groups_ = 0;
    std::vector<std::size_t> group_of_;
    std::vector<std::uint64_t> index_hashes_;
    std::unordered_map<NameParts, std::size_t, Hash> groups_by_parts_;
};

}  // namespace warpseq
