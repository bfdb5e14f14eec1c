#include "engines/targets/input_order.h"

#include <algorithm>
#include <bit>

namespace warpseq {

InputOrder::InputOrder(const TargetMembers& members, const WsdbReader& reader)
    : words_(members.sequence_count() / kBits + 1), before_(words_.size()) {
    members.for_each([&](std::uint64_t rank) {
        // A file that is changed meanwhile may hold any position.
        const std::uint64_t position =
            std::min<std::uint64_t>(reader.input_positions()[rank], members.sequence_count());
        words_[position / kBits] |= std::uint64_t{1} << (position % kBits);
    });
    for (std::size_t w = 1; w < words_.size(); ++w)
        before_[w] = before_[w - 1] + static_cast<std::uint64_t>(std::popcount(words_[w - 1]));
}

std::uint64_t InputOrder::members_before(std::uint64_t position) const {
    const std::uint64_t w = std::min<std::uint64_t>(position / kBits, words_.size() - 1);
    const std::uint64_t below = (std::uint64_t{1} << (position % kBits)) - 1;
    return before_[w] + static_cast<std::uint64_t>(std::popcount(words_[w] & below));
}

}  // namespace warpseq
