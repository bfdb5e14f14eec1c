// Pairs of an input, cut into ranges that many processes align.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engines/pair/pair_input.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Consecutive pairs of a PairInput.
struct PairRange {
    std::uint64_t first = 0, count = 0;
    std::uint64_t end() const { return first + count; }
    bool operator==(const PairRange&) const = default;
};

/// Gives the next range to align; nothing: there are no more.
using NextPairs = std::function<Result<std::optional<PairRange>>()>;

/// All pairs in order, cut for so many processes, at least 1: some 64 ranges for each, of about
/// equal work, and smaller ones at the end, where processes would wait for each other. None is so
/// small that it is not worth a message, or has more results than memory should hold at once.
/// Depends on the input and the number alone.
std::vector<PairRange> cut_pairs(const PairInput& input, std::uint64_t processes);

}  // namespace warpseq
