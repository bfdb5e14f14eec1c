// Which sequences of databases are searched, where that is not all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/targets/database_set.h"

namespace warpseq {

class TargetSelection {
   public:
    /// None yet. The databases outlive it.
    explicit TargetSelection(const DatabaseSet& databases);

    /// A sequence of theirs; one that is there already stays there once.
    void add(std::uint32_t database, std::uint64_t rank);
    bool has(std::uint32_t database, std::uint64_t rank) const { return is_selected_[database][rank]; }

    std::uint64_t sequence_count() const { return sequence_count_; }
    std::uint64_t residue_count() const { return residue_count_; }
    /// Residues of the shortest one that has some; 0 of none.
    std::uint64_t shortest_residues() const { return shortest_residues_; }

   private:
    const DatabaseSet& databases_;
    std::vector<std::vector<bool>> is_selected_;
    std::uint64_t sequence_count_ = 0, residue_count_ = 0, shortest_residues_ = 0;
};

}  // namespace warpseq
