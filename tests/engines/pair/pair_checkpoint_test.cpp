// Alignments that are interrupted and continued from a checkpoint. They must be the same as
// without.
#include "engines/pair/checkpoint.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>

#include "kernels/pair/pair_sweep_reference.h"
#include "kernels/smith_waterman/local_alignment.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/naive_pair.h"
#include "tests/support/random_proteins.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

constexpr std::uint64_t kMemory = std::uint64_t{1} << 30;

// A sweeper whose row steps are multiples of its own granule. It raises a flag after some rows of
// blocks.
class InterruptedSweeper final : public PairSweeper {
   public:
    InterruptedSweeper(const PairScoring& scoring, std::uint64_t granule)
        : granule_(granule), inner_(make_reference_pair_sweeper(scoring)) {}

    std::uint64_t row_granule(std::uint64_t, std::uint64_t) const override { return granule_; }
    Result<std::vector<std::unique_ptr<PairGrid>>> sweep(std::span<const SweepTask> tasks,
                                                         const SweepControl& control) override {
        for (const SweepTask& task : tasks)
            CHECK((task.row_step % granule_ == 0 || task.row_step >= task.query.size()));
        SweepControl stopping = control;
        std::stop_source stop;
        if (stop_after_ > 0 && seen_ >= stop_after_) stop.request_stop();
        stopping.stop = stop.get_token();
        if (control.rows_done) {
            stopping.rows_done = [&](const PairGrid& grid, std::uint64_t row_blocks) {
                const Status status = control.rows_done(grid, row_blocks);
                ++seen_;
                if (stop_after_ > 0 && seen_ >= stop_after_) stop.request_stop();
                return status;
            };
        }
        swept_rows += tasks[0].query.size();
        ++sweeps;
        for (const SweepTask& task : tasks) {
            const std::uint64_t bytes =
                grid_bytes(task.query.size(), task.target.size(), task.row_step, task.column_step);
            most_grid_bytes = std::max(most_grid_bytes, bytes);
        }
        return inner_->sweep(tasks, stopping);
    }

    /// Stops sweeps after this many rows of blocks in all. 0 means never.
    void stop_after_blocks(std::uint64_t row_blocks) {
        stop_after_ = row_blocks;
        seen_ = 0;
    }

    std::uint64_t swept_rows = 0, sweeps = 0, most_grid_bytes = 0;

   private:
    std::uint64_t granule_, stop_after_ = 0, seen_ = 0;
    std::unique_ptr<PairSweeper> inner_;
};

}  // namespace

TEST_CASE("interrupted again and again, an alignment ends as one that was not") {
    Random random(91);
    const Sequence query = random_protein(random, 1500);
    const Sequence target = mutated(random, query, 0.7);
    const ScoringScheme scheme{builtin_matrix("BLOSUM62").value(), {11, 1}};
    for (const bool local : {false, true}) {
        const PairProblem problem{query, target, local, {}};
        const Alignment expected = naive_pair_alignment(problem, scheme);
        // The granule differs from the first run's. So sweeps have several rows of blocks, or one
        // at a time.
        for (const std::uint64_t granule : {1u, 50u, 64u}) {
            CAPTURE(local);
            CAPTURE(granule);
            const ScratchFolder folder;
            InterruptedSweeper first({scheme, local}, 100), later({scheme, local}, granule);
            const PairMatrix matrix(problem, scheme, {300'000}, first);
            REQUIRE(matrix.task().row_step < 500);
            std::uint64_t cells = 0;
            for (int run = 0;; ++run) {
                InterruptedSweeper& sweeper = run == 0 ? first : later;
                auto checkpoint =
                    PairCheckpoint::open(folder.path("c"), problem, scheme, matrix.task(), sweeper, kMemory);
                REQUIRE(checkpoint.ok());
                CHECK(checkpoint->cells_done() >= cells);
                CHECK((run == 0 || checkpoint->cells_done() > cells));
                cells = checkpoint->cells_done();
                sweeper.swept_rows = 0;
                sweeper.stop_after_blocks(run < 2 ? 1 : 0);
                auto grid = checkpoint->sweep(sweeper, {});
                if (run < 2) {
                    REQUIRE(grid.status().code() == StatusCode::kInterrupted);
                    continue;
                }
                REQUIRE(grid.ok());
                CHECK(sweeper.swept_rows == query.size() - cells / target.size());
                const auto aligned = matrix.finish(std::move(*grid), sweeper, CpuBackend::kReference, {});
                REQUIRE(aligned.ok());
                CHECK(to_text(*aligned) == to_text(expected));
                break;
            }
            // A file that has everything: nothing is swept again.
            auto checkpoint = PairCheckpoint::open(folder.path("c"), problem, scheme, matrix.task(), later, kMemory);
            REQUIRE(checkpoint.ok());
            CHECK(checkpoint->cells_done() == query.size() * target.size());
            later.swept_rows = 0;
            auto grid = checkpoint->sweep(later, {});
            REQUIRE(grid.ok());
            CHECK(later.swept_rows == 0);
            const auto aligned = matrix.finish(std::move(*grid), later, CpuBackend::kReference, {});
            REQUIRE(aligned.ok());
            CHECK(to_text(*aligned) == to_text(expected));
        }
    }
}

TEST_CASE("a resume keeps to its own memory, whatever the file was made with") {
    Random random(94);
    const Sequence query = random_protein(random, 1600);
    const Sequence target = mutated(random, query, 0.6);
    const ScoringScheme scheme{builtin_matrix("BLOSUM62").value(), {11, 1}};
    const std::uint64_t m = query.size(), n = target.size();
    for (const bool local : {false, true}) {
        CAPTURE(local);
        const PairProblem problem{query, target, local, {}};
        const Alignment expected = naive_pair_alignment(problem, scheme);
        for (const std::uint64_t share : {2u, 3u}) {
            CAPTURE(share);
            const ScratchFolder folder;
            // At first there is much memory, so there are many checkpoints.
            InterruptedSweeper first({scheme, local}, 1), later({scheme, local}, 1);
            const PairMatrix large(problem, scheme, {kMemory}, first);
            const SweepTask& task = large.task();
            const std::uint64_t large_bytes = grid_bytes(m, n, task.row_step, task.column_step);
            REQUIRE(m / task.row_step >= 5);
            first.stop_after_blocks(1);
            {
                auto checkpoint = PairCheckpoint::open(folder.path("c"), problem, scheme, task, first, kMemory);
                REQUIRE(checkpoint.ok());
                CHECK(checkpoint->sweep(first, {}).status().code() == StatusCode::kInterrupted);
            }
            // Then there is less memory than all checkpoints take.
            const std::uint64_t memory_bytes = large_bytes / share;
            const PairMatrix small(problem, scheme, {memory_bytes}, later);
            auto checkpoint =
                PairCheckpoint::open(folder.path("c"), problem, scheme, small.task(), later, memory_bytes);
            REQUIRE(checkpoint.ok());
            REQUIRE(checkpoint->cells_done() > 0);
            later.sweeps = later.most_grid_bytes = 0;
            auto grid = checkpoint->sweep(later, {});
            REQUIRE(grid.ok());
            CHECK(later.sweeps >= 2);
            CHECK(later.most_grid_bytes <= memory_bytes);
            CHECK((*grid)->memory_bytes() <= memory_bytes / 4 * 3);
            CHECK(later.swept_rows == m - task.row_step);
            const auto aligned = small.finish(std::move(*grid), later, CpuBackend::kReference, {});
            REQUIRE(aligned.ok());
            CHECK(to_text(*aligned) == to_text(expected));
        }
    }
}

TEST_CASE("a file whose blocks no row of fits the memory says so, and stays") {
    Random random(95);
    const Sequence query = random_protein(random, 900);
    const ScoringScheme scheme{builtin_matrix("BLOSUM62").value(), {11, 1}};
    const PairProblem problem{query, query, false, {}};
    const ScratchFolder folder;
    const InterruptedSweeper sweeper({scheme, false}, 1);
    const PairMatrix matrix(problem, scheme, {}, sweeper);
    SweepTask fine = matrix.task();
    fine.row_step = 450;
    fine.column_step = 3;
    REQUIRE(PairCheckpoint::open(folder.path("c"), problem, scheme, fine, sweeper, kMemory).ok());
    const auto refused = PairCheckpoint::open(folder.path("c"), problem, scheme, matrix.task(), sweeper, 1);
    REQUIRE(refused.status().code() == StatusCode::kUnavailable);
    CHECK(refused.status().message().find("c: a row of its blocks needs 1064 KiB") != std::string::npos);
    CHECK(PairCheckpoint::open(folder.path("c"), problem, scheme, matrix.task(), sweeper, kMemory).ok());
}

TEST_CASE("a score alone has rows of blocks to go on from") {
    Random random(92);
    const Sequence query = random_protein(random, 700);
    const ScoringScheme scheme{builtin_matrix("BLOSUM62").value(), {11, 1}};
    const PairProblem problem{query, query, true, {}};
    PairLimits limits;
    limits.score_only = true;
    InterruptedSweeper sweeper({scheme, true}, 32);
    const PairMatrix matrix(problem, scheme, limits, sweeper);
    const ScratchFolder folder;
    sweeper.stop_after_blocks(3);
    for (const bool interrupted : {true, false}) {
        auto checkpoint = PairCheckpoint::open(folder.path("c"), problem, scheme, matrix.task(), sweeper, kMemory);
        REQUIRE(checkpoint.ok());
        CHECK(checkpoint->cells_done() == (interrupted ? 0 : 3 * 64 * 700));
        auto grid = checkpoint->sweep(sweeper, {});
        CHECK(grid.ok() == !interrupted);
        sweeper.stop_after_blocks(0);
        if (!grid.ok()) continue;
        const auto aligned = matrix.finish(std::move(*grid), sweeper, CpuBackend::kReference, {});
        REQUIRE(aligned.ok());
        CHECK(aligned->score_raw ==
              align_local(runnable_cpu_backends().back(), query, query, pair_scores(scheme)).score_raw);
    }
}

TEST_CASE("another problem's checkpoint is refused") {
    Random random(93);
    const Sequence query = random_protein(random, 400), other = random_protein(random, 400);
    const ScoringScheme scheme{builtin_matrix("BLOSUM62").value(), {11, 1}}, cheap{scheme.matrix, {10, 1}},
        pam{builtin_matrix("PAM30").value(), {11, 1}};
    const ScratchFolder folder;
    const auto opens = [&](const PairProblem& problem, const ScoringScheme& s) {
        const InterruptedSweeper sweeper({s, problem.local}, 1);
        const PairMatrix matrix(problem, s, {}, sweeper);
        return PairCheckpoint::open(folder.path("c"), problem, s, matrix.task(), sweeper, kMemory).ok();
    };
    CHECK(opens({query, query, false, {}}, scheme));
    CHECK(opens({query, query, false, {}}, scheme));
    CHECK(!opens({query, other, false, {}}, scheme));
    CHECK(!opens({other, query, false, {}}, scheme));
    CHECK(!opens({query, query, true, {}}, scheme));
    CHECK(!opens({query, query, false, {true, false, false, false}}, scheme));
    CHECK(!opens({query, query, false, {}}, cheap));
    CHECK(!opens({query, query, false, {}}, pam));
}
