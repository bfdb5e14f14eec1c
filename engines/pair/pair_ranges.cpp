#include "engines/pair/pair_ranges.h"

#include <algorithm>
#include <limits>

#include "kernels/pair/pair_sweep.h"

namespace warpseq {
namespace {

// Work is counted in cells. Apart from its cells a pair costs a thread about as much as this many
// of them.
constexpr std::uint64_t kCellsOfPair = std::uint64_t{1} << 14;
// Least work of a range. It takes a thread a few milliseconds.
constexpr std::uint64_t kLeastWork = std::uint64_t{1} << 24;
constexpr std::uint64_t kRangesPerProcess = 64;
// Each range has at most this fraction of the work that is left: one part in so many for each
// process.
constexpr std::uint64_t kLastRangesPerProcess = 8;
// Bytes of a range's results, by estimate. A pair takes kResultBytesOfPair, and one byte for each
// residue.
constexpr std::uint64_t kMostResultBytes = std::uint64_t{16} << 20, kResultBytesOfPair = 256;

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return b > kMost - a ? kMost : a + b; }

/// Calls work(rows, columns) for each pair in order. It makes no division for a pair, since there
/// may be billions of pairs.
template <typename Work>
void for_each_pair(const PairInput& input, const Work& work) {
    if (!input.all_pairs) {
        for (const auto& [query, target] : input.listed)
            work(input.queries[query].residues.size(), input.targets[target].residues.size());
        return;
    }
    for (const PairSequence& query : input.queries) {
        for (const PairSequence& target : input.targets) work(query.residues.size(), target.residues.size());
    }
}

std::uint64_t work_of_pair(std::uint64_t rows, std::uint64_t columns) {
    return sum(cell_count(rows, columns), kCellsOfPair);
}

}  // namespace

std::vector<PairRange> cut_pairs(const PairInput& input, std::uint64_t processes) {
    std::uint64_t left = 0;
    for_each_pair(input,
                  [&](std::uint64_t rows, std::uint64_t columns) { left = sum(left, work_of_pair(rows, columns)); });
    const std::uint64_t usual = left / processes / kRangesPerProcess;
    std::vector<PairRange> ranges;
    std::uint64_t pair = 0, work = 0, bytes = 0, enough = 0;
    for_each_pair(input, [&](std::uint64_t rows, std::uint64_t columns) {
        if (work >= enough || bytes >= kMostResultBytes) {
            left -= std::min(left, work);
            enough = std::max(kLeastWork, std::min(usual, left / processes / kLastRangesPerProcess));
            work = bytes = 0;
            ranges.push_back({pair, 0});
        }
        ++ranges.back().count;
        ++pair;
        work = sum(work, work_of_pair(rows, columns));
        bytes += kResultBytesOfPair + rows + columns;
    });
    return ranges;
}

}  // namespace warpseq
