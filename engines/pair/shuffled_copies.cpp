#include "engines/pair/shuffled_copies.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/pair/pair_alignment.h"
#include "kernels/pair/pair_sweep.h"
#include "libcore/base/random.h"
#include "libcore/sequence/nucleotide.h"

namespace warpseq {
namespace {

using Residues = std::vector<ResidueCode>;

constexpr std::uint64_t kShortestResidues = 20;
constexpr std::uint64_t kMostCopies = 99, kFewestCopies = 19;
constexpr std::uint64_t kMostCells = 400'000'000;  // of all copies together
constexpr std::uint64_t kSeed = 1;
constexpr std::uint64_t kGridBytes = std::uint64_t{16} << 20;

/// Returns shuffled copies of the target, except those that equal it (Fisher and Yates).
std::vector<Residues> shuffle(std::span<const ResidueCode> target, std::uint64_t count) {
    Random random(kSeed);
    std::vector<Residues> copies;
    for (std::uint64_t c = 0; c < count; ++c) {
        Residues copy(target.begin(), target.end());
        for (std::size_t left = copy.size(); left > 1; --left) std::swap(copy[left - 1], copy[random.below(left)]);
        if (!std::ranges::equal(copy, target)) copies.push_back(std::move(copy));
    }
    return copies;
}

/// Returns the score of the best local alignment.
Result<std::int64_t> local_score_raw(std::span<const ResidueCode> query, std::span<const ResidueCode> target,
                                     const ScoringScheme& scheme, CpuBackend backend, const std::stop_token& stop) {
    const ThreadPool alone(1);
    const auto sweeper = make_cpu_pair_sweeper(backend, {scheme, true}, alone);
    PairLimits limits;
    limits.grid_bytes = kGridBytes;
    limits.score_only = true;
    SweepControl control;
    control.stop = stop;
    const auto alignment = align_pair({query, target, true, {}}, scheme, limits, *sweeper, backend, control);
    if (!alignment.ok()) return alignment.status();
    return alignment->score_raw;
}

}  // namespace

Result<std::optional<ShuffledScores>> score_shuffled_copies(std::span<const ResidueCode> query,
                                                            std::span<const ResidueCode> target, PairStrand strand,
                                                            const ScoringScheme& scheme, CpuBackend backend,
                                                            const ThreadPool& pool) {
    const std::optional<ShuffledScores> nothing;
    if (std::min(query.size(), target.size()) < kShortestResidues) return nothing;
    std::vector<Residues> strands;
    if (strand != PairStrand::kMinus) strands.emplace_back(query.begin(), query.end());
    if (strand != PairStrand::kPlus) strands.push_back(reverse_complement(query));
    const std::uint64_t count = std::min(kMostCopies, kMostCells / (query.size() * target.size() * strands.size()));
    if (count < kFewestCopies) return nothing;
    const std::vector<Residues> copies = shuffle(target, count);
    if (copies.size() < kFewestCopies) return nothing;

    std::vector<std::int64_t> scores_raw(copies.size() + 1);  // that of the target is the last one
    WARPSEQ_TRY(pool.parallel_for(scores_raw.size(), [&](std::uint64_t i, unsigned) -> Status {
        for (const Residues& each : strands) {
            const std::span<const ResidueCode> aligned = i < copies.size() ? copies[i] : target;
            const auto score_raw = local_score_raw(each, aligned, scheme, backend, pool.stop());
            if (!score_raw.ok()) return score_raw.status();
            scores_raw[i] = std::max(scores_raw[i], *score_raw);
        }
        return {};
    }));
    const std::int64_t own_raw = scores_raw.back();
    scores_raw.pop_back();
    const auto as_high = std::ranges::count_if(scores_raw, [&](std::int64_t raw) { return raw >= own_raw; });
    return std::optional(ShuffledScores{copies.size(), static_cast<std::uint64_t>(as_high)});
}

}  // namespace warpseq
