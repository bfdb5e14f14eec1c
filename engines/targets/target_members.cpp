#include "engines/targets/target_members.h"

#include <algorithm>
#include <bit>

namespace warpseq {

TargetMembers::TargetMembers(std::uint64_t sequence_count)
    : sequence_count_(sequence_count), words_((sequence_count + kBits - 1) / kBits) {}

TargetMembers TargetMembers::all(std::uint64_t sequence_count) {
    TargetMembers members(sequence_count);
    std::ranges::fill(members.words_, ~std::uint64_t{0});
    if (sequence_count % kBits != 0) members.words_.back() = bit_of(sequence_count) - 1;
    return members;
}

void TargetMembers::keep_common(const TargetMembers& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
}

std::uint64_t TargetMembers::count_in(std::uint64_t first, std::uint64_t count) const {
    std::uint64_t members = 0;
    const std::uint64_t end = first + count;
    while (first < end) {
        const std::uint64_t here = std::min(kBits - first % kBits, end - first);
        std::uint64_t word = words_[first / kBits] >> (first % kBits);
        if (here < kBits) word &= (std::uint64_t{1} << here) - 1;
        members += static_cast<std::uint64_t>(std::popcount(word));
        first += here;
    }
    return members;
}

bool TargetMembers::has_any(std::uint64_t first, std::uint64_t count) const {
    const std::uint64_t end = first + count;
    while (first < end) {
        const std::uint64_t here = std::min(kBits - first % kBits, end - first);
        std::uint64_t word = words_[first / kBits] >> (first % kBits);
        if (here < kBits) word &= (std::uint64_t{1} << here) - 1;
        if (word != 0) return true;
        first += here;
    }
    return false;
}

MemberTotals totals_of(const TargetMembers& members, const WsdbReader& reader) {
    MemberTotals totals;
    members.for_each([&](std::uint64_t rank) {
        const std::uint64_t residues = reader.lengths_residues()[rank];
        ++totals.sequences;
        totals.residues += residues;
        if (residues > 0) totals.shortest_residues = residues;  // lengths fall with the rank
    });
    return totals;
}

}  // namespace warpseq
