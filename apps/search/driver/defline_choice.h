// Which definition lines of sequences are chosen, by lists of identifiers and of taxonomy IDs. A
// sequence is where any of its lines is; of merged ones blastp shows those alone.
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

/// Thread-safe.
class DeflineChoice {
   public:
    /// An error where the list is none, or empty.
    static Result<std::shared_ptr<const DeflineChoice>> read(const std::optional<SequenceList>& sequences,
                                                             const std::optional<TaxonList>& taxa);
    ~DeflineChoice();

    /// Those of the list of sequences, as often as they are in it.
    const std::vector<std::string>& listed_names() const;
    /// Of a header as it is stored, whose definition lines Ctrl-A separates: whether any is chosen,
    /// and those that are.
    bool has_any_line(std::string_view header, const TaxidsOfDatabase& database) const;
    /// The same of taxonomy IDs of all its definition lines, where there is no list of identifiers.
    bool has_any_taxid(std::span<const std::uint32_t> taxids, const TaxidsOfDatabase& database) const;
    std::string chosen_lines(std::string_view header, const TaxidsOfDatabase& database) const;
    /// Whether taxonomy IDs have chosen any of the headers that were asked for or, where they are
    /// left out, kept any out.
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
