// Ranges of an input's pairs, by which several processes share the work.
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

/// A function that returns the next range to align, or nothing if there are no more.
using NextPairs = std::function<Result<std::optional<PairRange>>()>;

/// Cuts all pairs, in order, into ranges for `processes` processes, at least 1. There are about 64
/// ranges of equal work for each process. Ranges at the end are smaller, so that processes wait
/// less for each other there. A range has at least a few milliseconds of work. It ends early if its
/// results would take more than about 16 MiB. The ranges depend on the input and `processes` alone.
std::vector<PairRange> cut_pairs(const PairInput& input, std::uint64_t processes);

}  // namespace warpseq
