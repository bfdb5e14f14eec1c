// Which sequences of an input are wanted: by name, by length. A sequence is wanted by each of its
// names (formats/fasta/sequence_names.h), whatever other sequences have the same one: so what is
// taken does not depend on where the input came from, or how it was divided.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/fasta/name_matcher.h"
#include "libcore/base/status.h"

namespace warpseq {

class RecordSelection {
   public:
    std::uint64_t min_residues = 0;
    std::uint64_t max_residues = std::numeric_limits<std::uint64_t>::max();
    /// Those of these taxa alone and, where the input has a tree, of what is below them. Ascending;
    /// none: all.
    std::vector<std::uint32_t> taxids = {};

    /// Selects only the names that the file lists, one a line. The file is plain, gzip or zstd; "-"
    /// is standard input. Blanks around a name, a '>' before it and what follows a blank behind it
    /// are ignored, and so are empty lines. A list without any name is an error.
    Status read_list(const std::filesystem::path& file);
    bool has_list() const { return !names_.empty(); }
    /// Returns all names that are listed, each once, in the list's order.
    const std::vector<std::string_view>& names() const { return names_; }
    /// Returns the hashes of the listed names as an index of names has them
    /// (NameMatcher::index_hashes()).
    const std::vector<std::uint64_t>& index_hashes() const { return matcher_.index_hashes(); }
    /// Whether the list names a sequence. Notes which of its names were found. Thread-safe.
    bool lists(std::string_view header) const;
    /// Returns the listed names that no input has, in the list's order.
    std::vector<std::string_view> not_found() const;

    bool wants_length(std::uint64_t residues) const { return residues >= min_residues && residues <= max_residues; }
    /// Whether a sequence is wanted. Notes which names were found, be they of a sequence of another
    /// length. Thread-safe.
    bool wants(std::string_view header, std::uint64_t residues) const;
    /// Whether one of a sequence's taxonomy IDs is of the taxa `wanted`, which are ascending.
    static bool has_any(std::span<const std::uint32_t> of_sequence, std::span<const std::uint32_t> wanted) {
        return std::ranges::any_of(of_sequence,
                                   [&](std::uint32_t taxid) { return std::ranges::binary_search(wanted, taxid); });
    }
    bool wants_all() const {
        return taxids.empty() && !has_list() && wants_length(0) &&
               max_residues == std::numeric_limits<std::uint64_t>::max();
    }

   private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
    };
    std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> places_;  // in names_, which holds its keys
    std::vector<std::string_view> names_;
    NameMatcher matcher_;
    std::unique_ptr<std::atomic<bool>[]> found_;  // by the matcher's groups
};

}  // namespace warpseq
