// Ranges of an input's pairs, which many processes align.
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

/// Returns the next range to align; nothing if there are no more.
using NextPairs = std::function<Result<std::optional<PairRange>>()>;

/// Cuts all pairs, in order, into ranges for `processes` processes, at least 1. There are some 64
/// ranges of about equal work for each process. Ranges at the end are smaller, because processes
/// would wait for each other there. No range is too small to be worth a message, and none has more
/// results than memory should hold at once. The ranges depend on the input and the number alone.
std::vector<PairRange> cut_pairs(const PairInput& input, std::uint64_t processes);

}  // namespace warpseq
