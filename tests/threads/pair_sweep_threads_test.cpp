// Pair sweeps with tall strips that end while other threads wait for them. The grids must be the
// same as on one thread, and no thread may wait for ever. Also, blocks of a grid that threads
// update concurrently.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "kernels/pair/pair_islands.h"
#include "kernels/pair/pair_sweep_simd.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/random_proteins.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

std::vector<std::int32_t> maxima_of(PairSweeper& sweeper, const SweepTask& task) {
    const auto grids = sweeper.sweep({&task, 1}, {});
    REQUIRE(grids.ok());
    const auto maxima = (*grids)[0]->block_maxima_raw();
    return {maxima.begin(), maxima.end()};
}

}  // namespace

TEST_CASE("tall strips that end anywhere, more threads than processors") {
    constexpr std::size_t kRows = 3400, kColumns = 400;
    const ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    const PairScoring scoring{scheme, true};
    Random random(77);
    ThreadPool one(1), many(3);
    const auto alone = make_vector_pair_sweeper(CpuBackend::kPortable, scoring, one);
    const auto together = make_vector_pair_sweeper(CpuBackend::kPortable, scoring, many);
    for (int round = 0; round < 40; ++round) {
        CAPTURE(round);
        Sequence query = random_protein(random, kRows);
        const Sequence target = random_protein(random, kColumns);
        // Related parts exceed the bytes of a tall strip, often in the last columns, so that little
        // of the strip is left.
        for (std::size_t begin = random.below(300); begin + 150 < kRows; begin += 200 + random.below(700)) {
            const std::size_t from = round % 3 == 0 ? random.below(kColumns - 100) : kColumns - 100;
            std::copy_n(target.begin() + static_cast<std::ptrdiff_t>(from), 100,
                        query.begin() + static_cast<std::ptrdiff_t>(begin));
        }
        SweepTask task;
        task.query = query;
        task.target = target;
        task.top = PairLine::beginning(kColumns, scheme.gaps, true);
        task.left = PairLine::beginning(kRows, scheme.gaps, true);
        task.row_step = kRows;
        task.column_step = 150;
        const std::vector<std::int32_t> expected = maxima_of(*alone, task);
        CHECK(*std::max_element(expected.begin(), expected.end()) > 400);
        CHECK(maxima_of(*together, task) == expected);
    }
}

TEST_CASE("lists of local alignments by several threads") {
    const ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    Random random(78);
    const Sequence query = random_protein(random, 1500);
    Sequence target = mutated(random, {query.data() + 700, 800}, 0.9);
    const Sequence front = mutated(random, {query.data(), 700}, 0.9);
    target.insert(target.end(), front.begin(), front.end());
    const PairProblem problem{query, target, true, {}};
    const auto list = [&](unsigned threads) {
        const ThreadPool pool(threads);
        const auto sweeper = make_vector_pair_sweeper(CpuBackend::kPortable, {scheme, true}, pool);
        PairLimits limits;
        limits.least_sweeper_cells = 100'000;  // all threads fill larger blocks, each takes smaller ones
        limits.trace_threads = threads;
        PairIslands islands(problem, scheme, limits, *sweeper, CpuBackend::kPortable, pool);
        REQUIRE(islands.fill({}).ok());
        std::vector<Alignment> alignments;
        for (int k = 0; k < 4; ++k) {
            auto alignment = islands.next({});
            REQUIRE(alignment.ok());
            alignments.push_back(*std::move(alignment));
        }
        return alignments;
    };
    const auto alone = list(1);
    CHECK(alone[1].score_raw > 500);
    CHECK(list(4) == alone);
}
