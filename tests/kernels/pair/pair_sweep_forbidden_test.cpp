// Grids of sweeps with forbidden pairs. They are filled as a whole or updated block by block, and
// are compared with all cells in memory.
#include "kernels/pair/pair_sweep_forbidden.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "libcore/base/random.h"
#include "tests/support/naive_pair.h"
#include "tests/support/random_proteins.h"
#include "tests/support/under_sanitizers.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

Sequence random_letters(Random& random, std::size_t residues, std::uint64_t letters) {
    Sequence sequence(residues);
    for (ResidueCode& code : sequence) code = static_cast<ResidueCode>(random.below(letters));
    return sequence;
}

// H, E and F as in pair_sweep.h, of a local matrix. `forbidden` is m x n.
struct AllCells {
    std::size_t n;
    std::vector<std::int32_t> h, e, f;

    AllCells(const Sequence& query, const Sequence& target, const ScoringScheme& scheme,
             const std::vector<std::uint8_t>& forbidden)
        : n(target.size()),
          h((query.size() + 1) * (n + 1)),
          e(h.size(), -scheme.gaps.first()),
          f(h.size(), -scheme.gaps.first()) {
        // e and f are those of a border cell: the gap's value as it enters the next column or row.
        const std::int32_t first = scheme.gaps.first(), extend = scheme.gaps.extend;
        for (std::size_t i = 1; i <= query.size(); ++i) {
            for (std::size_t j = 1; j <= n; ++j) {
                const std::int32_t match =
                    forbidden[(i - 1) * n + j - 1] != 0
                        ? 0
                        : h[at(i - 1, j - 1)] + scheme.matrix.score_raw(query[i - 1], target[j - 1]);
                h[at(i, j)] = std::max({0, match, e[at(i, j - 1)], f[at(i - 1, j)]});
                e[at(i, j)] = std::max(e[at(i, j - 1)] - extend, h[at(i, j)] - first);
                f[at(i, j)] = std::max(f[at(i - 1, j)] - extend, h[at(i, j)] - first);
            }
        }
    }
    std::size_t at(std::size_t i, std::size_t j) const { return i * (n + 1) + j; }
};

void check_grid(const PairGrid& grid, const AllCells& cells) {
    const std::uint64_t m = grid.rows(), n = grid.columns();
    for (std::uint64_t index = 0; index < grid.row_blocks(); ++index) {
        const std::uint64_t i = std::min(m, (index + 1) * grid.row_step());
        std::vector<BorderCell> line(n);
        REQUIRE(grid.read_row_checkpoint(index, 1, line).ok());
        for (std::uint64_t j = 1; j <= n; ++j) {
            REQUIRE(line[j - 1] == BorderCell{cells.h[cells.at(i, j)], cells.f[cells.at(i, j)]});
        }
    }
    for (std::uint64_t index = 0; index < grid.column_blocks(); ++index) {
        const std::uint64_t j = std::min(n, (index + 1) * grid.column_step());
        std::vector<BorderCell> line(m);
        REQUIRE(grid.read_column_checkpoint(index, 1, line).ok());
        for (std::uint64_t i = 1; i <= m; ++i) {
            REQUIRE(line[i - 1] == BorderCell{cells.h[cells.at(i, j)], cells.e[cells.at(i, j)]});
        }
    }
    for (std::uint64_t row = 0; row < grid.row_blocks(); ++row) {
        for (std::uint64_t column = 0; column < grid.column_blocks(); ++column) {
            std::int32_t maximum_raw = 0;
            for (std::uint64_t i = row * grid.row_step() + 1; i <= std::min(m, (row + 1) * grid.row_step()); ++i) {
                for (std::uint64_t j = column * grid.column_step() + 1;
                     j <= std::min(n, (column + 1) * grid.column_step()); ++j) {
                    maximum_raw = std::max(maximum_raw, cells.h[cells.at(i, j)]);
                }
            }
            REQUIRE(grid.block_maxima_raw()[row * grid.column_blocks() + column] == maximum_raw);
        }
    }
}

}  // namespace

TEST_CASE("grids of small blocks are brought up to date, whatever the steps") {
    Random random(81);
    constexpr std::size_t kRounds = fewer(400, 40);
    const ThreadPool pool(3);
    std::size_t forbidden_pairs = 0, untouched = 0;
    for (std::size_t round = 0; round < kRounds; ++round) {
        CAPTURE(round);
        const Sequence query = random_letters(random, 10 + random.below(50), 2 + random.below(3));
        const Sequence target = mutated(random, query, 0.8, 0.05);
        if (target.empty()) continue;
        const ScoringScheme scheme{
            match_mismatch(1 + static_cast<int>(random.below(3)), -1 - static_cast<int>(random.below(3))),
            {static_cast<int>(random.below(6)), static_cast<int>(random.below(4))}};
        ForbiddenPairs forbidden;
        std::vector<std::uint8_t> is_forbidden(query.size() * target.size());
        const auto sweeper = make_cpu_pair_sweeper(runnable_cpu_backends().back(), {scheme, true}, pool);
        const std::uint64_t least_cells = random.below(2) == 0 ? 20 : 1'000'000;
        ForbiddingPairSweeper forbidding({scheme, true}, forbidden, *sweeper, least_cells,
                                         runnable_cpu_backends().back(), pool);
        SweepTask task{query,
                       target,
                       PairLine::beginning(target.size(), scheme.gaps, true),
                       PairLine::beginning(query.size(), scheme.gaps, true),
                       1 + random.below(12),
                       1 + random.below(12)};
        task.reached_raw = SweepTask::kNoPruning;
        auto filled = forbidding.sweep({&task, 1}, {});
        REQUIRE(filled.ok());
        auto& grid = dynamic_cast<HostPairGrid&>(*filled->front());
        check_grid(grid, AllCells(query, target, scheme, is_forbidden));
        for (int path = 0; path < 4; ++path) {
            const Alignment alignment = naive_pair_alignment({query, target, true, {}}, scheme, is_forbidden);
            if (alignment.runs.empty()) break;
            ForbiddenPairs added;
            added.add(alignment);
            forbidden.add(alignment);
            std::vector<std::uint8_t> cells(is_forbidden.size());
            added.mark({0, 0, query.size(), target.size()}, cells);
            for (std::size_t k = 0; k < cells.size(); ++k) {
                is_forbidden[k] |= cells[k];
                forbidden_pairs += cells[k];
            }
            std::vector<std::uint8_t> waiting;
            for (std::uint64_t row = 0; row < grid.rows(); row += grid.row_step()) {
                for (std::uint64_t column = 0; column < grid.columns(); column += grid.column_step()) {
                    waiting.push_back(added.meets({row, column, grid.row_step(), grid.column_step()}) ? 1 : 0);
                }
            }
            std::uint64_t filled_cells = 0;
            SweepControl control;
            control.progress = [&filled_cells](std::uint64_t count) { filled_cells += count; };
            REQUIRE(forbidding.fill_again(task, grid, waiting, control).ok());
            untouched += filled_cells < query.size() * target.size();
            const AllCells expected(query, target, scheme, is_forbidden);
            check_grid(grid, expected);
            const auto anew = forbidding.sweep({&task, 1}, {});
            REQUIRE(anew.ok());
            check_grid(*anew->front(), expected);
        }
    }
    CHECK(forbidden_pairs > 20 * kRounds);
    CHECK(untouched > kRounds);  // or nothing would be gained
}

TEST_CASE("a block of a larger matrix knows where it is") {
    Random random(82);
    const Sequence query = random_letters(random, 90, 4), target = mutated(random, query, 0.9);
    const ScoringScheme scheme{match_mismatch(2, -3), {5, 2}};
    const ThreadPool pool(1);
    const auto sweeper = make_cpu_pair_sweeper(CpuBackend::kReference, {scheme, true}, pool);
    const Alignment best = naive_pair_alignment({query, target, true, {}}, scheme);
    // The same alignment in the block that begins at residues 30 and 20 of longer sequences.
    Alignment moved = best;
    moved.query_begin += 30;
    moved.target_begin += 20;
    const auto swept = [&](const Alignment& alignment, std::uint64_t first_row, std::uint64_t first_column) {
        ForbiddenPairs forbidden;
        forbidden.add(alignment);
        ForbiddingPairSweeper forbidding({scheme, true}, forbidden, *sweeper, 1'000'000, CpuBackend::kReference, pool);
        SweepTask task{query,
                       target,
                       PairLine::beginning(target.size(), scheme.gaps, true),
                       PairLine::beginning(query.size(), scheme.gaps, true),
                       9,
                       9};
        task.first_row = first_row;
        task.first_column = first_column;
        auto grids = forbidding.sweep({&task, 1}, {});
        REQUIRE(grids.ok());
        const auto maxima_raw = grids->front()->block_maxima_raw();
        return std::vector<std::int32_t>(maxima_raw.begin(), maxima_raw.end());
    };
    const auto here = swept(best, 0, 0);
    CHECK(swept(moved, 30, 20) == here);
    CHECK(swept(moved, 0, 0) != here);
    CHECK(std::ranges::max(here) < best.score_raw);
}
