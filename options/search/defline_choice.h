// The definition lines that a list of identifiers and a list of taxonomy IDs choose. A sequence is
// chosen if any of its lines is chosen. blastp shows only the chosen lines of merged sequences.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/status.h"
#include "options/search/target_options.h"

namespace warpseq {

/// The choice that the lists make. It is thread-safe.
class DeflineChoice {
   public:
    /// Reads the list of sequences and makes the choice. `taxa` has descendants already
    /// (with_descendants()). A file that is no such list or names no sequence is invalid input.
    static Result<std::shared_ptr<const DeflineChoice>> read(const std::optional<SequenceList>& sequences,
                                                             const std::optional<TaxonList>& taxa);
    ~DeflineChoice();

    /// Returns the names in the list of sequences, repeats included.
    const std::vector<std::string>& listed_names() const;
    /// Whether any definition line of a header is chosen. The header is as it is stored, with
    /// Ctrl-A between its lines.
    bool has_any_line(std::string_view header, const TaxidsOfDatabase& database) const;
    /// Whether any definition line of a sequence is chosen by its taxonomy ID. `taxids` has the IDs
    /// of all its lines. Called only if there is no list of identifiers.
    bool has_any_taxid(std::span<const std::uint32_t> taxids, const TaxidsOfDatabase& database) const;
    /// Returns the chosen lines of a header, with Ctrl-A between them.
    std::string chosen_lines(std::string_view header, const TaxidsOfDatabase& database) const;
    /// Whether the list of taxonomy IDs has had an effect so far. A list of IDs to search has had
    /// one if a header was chosen. A list of IDs to leave out has had one if a header was left out.
    bool has_decided() const { return has_decided_.load(std::memory_order_relaxed); }

    struct Names;

   private:
    DeflineChoice(std::optional<SequenceList> sequences, std::optional<TaxonList> taxa);
    bool has_line(std::string_view line, const TaxidsOfDatabase& database) const;
    bool has_taxid(std::uint64_t taxid) const;
    bool decided(bool any) const;

    std::optional<SequenceList> sequences_;
    std::optional<TaxonList> taxa_;
    std::unique_ptr<const Names> names_;
    mutable std::atomic<bool> has_decided_ = false;
};

}  // namespace warpseq
