// NameMatcher finds which of many requested names a header has. The time for a header does not
// depend on how many of the names have the same entry in an index of names. For example,
// "2021_0001" to "2021_9999" all have the entry "2021", because they look like chains of a PDB
// entry. A list may also have 10,000 copies of "hypothetical".
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
/// because the same sequences have them.
class NameMatcher {
   public:
    NameMatcher() = default;
    /// The text of `names` has to outlive this object.
    explicit NameMatcher(std::span<const std::string_view> names);

    std::size_t groups() const { return groups_; }
    std::size_t group_of(std::size_t name) const { return group_of_[name]; }
    /// Returns the hashes that the names have in an index of names, in ascending order and each
    /// once.
    const std::vector<std::uint64_t>& index_hashes() const { return index_hashes_; }

    /// Calls `use` with each group whose names match_name() finds in the header. A group may be
    /// passed more than once. Returns whether there was any. Thread-safe.
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
