// Makes the Smith-Waterman scorer of a back end.
#include "kernels/smith_waterman/smith_waterman.h"

#include <algorithm>
#include <limits>
#include <string>

#include "kernels/backends/backend_table.h"
#include "kernels/smith_waterman/smith_waterman_reference.h"
#include "kernels/smith_waterman/smith_waterman_simd.h"

namespace warpseq {

SmithWatermanCounts& SmithWatermanCounts::operator+=(const SmithWatermanCounts& other) {
    cells += other.cells;
    cells_16_bit += other.cells_16_bit;
    cells_32_bit += other.cells_32_bit;
    padding_cells += other.padding_cells;
    return *this;
}

Result<std::unique_ptr<SmithWatermanScorer>> make_smith_waterman_scorer(
    CpuBackend backend, std::span<const std::span<const ResidueCode>> queries, const ScoringScheme& scheme) {
    if (!is_runnable(backend)) {
        return Status::unavailable("the CPU back end '" + std::string(cpu_backend_name(backend)) +
                                   "' does not run on this processor");
    }
    constexpr auto kHighestScore = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
    const auto highest_raw = static_cast<std::uint64_t>(std::max(1, scheme.matrix.highest_raw()));
    for (std::size_t q = 0; q < queries.size(); ++q) {
        if (queries[q].size() > kHighestScore / highest_raw) {
            return Status::invalid_input("query " + std::to_string(q + 1) + " of the batch has " +
                                         std::to_string(queries[q].size()) +
                                         " residues; with a highest matrix score of " + std::to_string(highest_raw) +
                                         ", scores fit 31 bits up to " + std::to_string(kHighestScore / highest_raw) +
                                         " residues; split the query");
        }
    }
    const BackendTable* const table = runnable_backend_table(backend);
    if (!table) return make_reference_smith_waterman_scorer(queries, scheme);
    return make_simd_smith_waterman_scorer(table->kernels, queries, scheme);
}

}  // namespace warpseq
