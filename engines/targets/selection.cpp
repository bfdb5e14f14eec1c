#include "engines/targets/selection.h"

#include <algorithm>

namespace warpseq {

TargetSelection::TargetSelection(const DatabaseSet& databases) : databases_(databases) {
    for (std::size_t d = 0; d < databases.size(); ++d) is_selected_.emplace_back(databases.reader(d).sequence_count());
}

void TargetSelection::add(std::uint32_t database, std::uint64_t rank) {
    if (has(database, rank)) return;
    is_selected_[database][rank] = true;
    const std::uint64_t residues = databases_.reader(database).lengths_residues()[rank];
    if (residues > 0) shortest_residues_ = shortest_residues_ == 0 ? residues : std::min(shortest_residues_, residues);
    ++sequence_count_;
    residue_count_ += residues;
}

}  // namespace warpseq
