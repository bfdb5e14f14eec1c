#include "engines/alignment_packet.h"

#include <algorithm>

namespace warpseq {

bool can_be(const Alignment& alignment, std::uint64_t query_residues, std::uint64_t target_residues,
            std::span<const ResidueCode> aligned_target) {
    if (alignment.query_begin > alignment.query_end || alignment.query_end > query_residues) return false;
    if (alignment.target_begin > alignment.target_end || alignment.target_end > target_residues) return false;
    if (alignment.target_end - alignment.target_begin != aligned_target.size()) return false;
    if (!std::ranges::all_of(aligned_target, [](ResidueCode code) { return code < kResidueCodes; })) return false;
    // Residues that are left of both stretches. Each length is compared with them, so no sum of
    // forged lengths can wrap around.
    std::uint64_t query = alignment.query_end - alignment.query_begin, target = aligned_target.size();
    for (std::size_t i = 0; i < alignment.runs.size(); ++i) {
        const auto& [operation, length] = alignment.runs[i];
        if (length == 0 || (i > 0 && alignment.runs[i - 1].operation == operation)) return false;
        const bool takes_query = operation != AlignmentOperation::kDelete;
        const bool takes_target = operation != AlignmentOperation::kInsert;
        if ((takes_query && length > query) || (takes_target && length > target)) return false;
        if (takes_query) query -= length;
        if (takes_target) target -= length;
    }
    return query == 0 && target == 0;
}

}  // namespace warpseq
