// RecordSelection decides which sequences of an input are wanted, by name, length or taxon. A
// sequence is found by any of its names (formats/fasta/sequence_names.h), whether or not other
// sequences have the same name. So the selection does not depend on where the input came from, or
// how it was divided.
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
    /// The wanted taxa, ascending. If the input has a taxonomy tree, the taxa below them are wanted
    /// too. If there are none, all sequences are wanted.
    std::vector<std::uint32_t> taxids = {};

    /// Selects only the names that the file lists, one per line. The file is plain, gzip or zstd;
    /// "-" is standard input. Blanks around a name, a '>' before it and the text behind it are
    /// ignored, as are empty lines. A list without any name is an error, and so is a line with a
    /// NUL or of more than a megabyte.
    Status read_list(const std::filesystem::path& file);
    bool has_list() const { return !names_.empty(); }
    /// Returns the listed names, each once, in the order of the list.
    const std::vector<std::string_view>& names() const { return names_; }
    /// Returns the hashes of the listed names as an index of names stores them
    /// (NameMatcher::index_hashes()).
    const std::vector<std::uint64_t>& index_hashes() const { return matcher_.index_hashes(); }
    /// Whether the list names a sequence. Records which of the listed names were found.
    /// Thread-safe.
    bool lists(std::string_view header) const;
    /// Returns the listed names that no input has, in the order of the list.
    std::vector<std::string_view> not_found() const;

    bool wants_length(std::uint64_t residues) const { return residues >= min_residues && residues <= max_residues; }
    /// Whether a sequence is wanted. Records which listed names were found, even if the sequence
    /// has an unwanted length. Thread-safe.
    bool wants(std::string_view header, std::uint64_t residues) const;
    /// Whether one of a sequence's taxonomy IDs is among `wanted`, which are ascending.
    static bool has_any(std::span<const std::uint32_t> of_sequence, std::span<const std::uint32_t> wanted) {
        return std::ranges::any_of(of_sequence,
                                   [&](std::uint32_t taxid) { return std::ranges::binary_search(wanted, taxid); });
    }
    /// Whether the selection excludes no sequence.
    bool wants_all() const {
        return taxids.empty() && !has_list() && wants_length(0) &&
               max_residues == std::numeric_limits<std::uint64_t>::max();
    }

   private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
    };
    std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> places_;  // in names_, which views its keys
    std::vector<std::string_view> names_;
    NameMatcher matcher_;
    std::unique_ptr<std::atomic<bool>[]> found_;  // one for each group of the matcher
};

}  // namespace warpseq
