// Local alignments that share no pair of residues, against whole matrices filled again after each
// alignment, by every back end, with little and much memory for checkpoints and any number of
// threads.
#include "kernels/pair/pair_islands.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "kernels/pair/pair_forbidden.h"
#include "kernels/smith_waterman/local_alignment.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/naive_pair.h"
#include "tests/support/random_proteins.h"
#include "tests/support/under_sanitizers.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

constexpr std::uint64_t kNoMemory = 1, kMuchMemory = std::uint64_t{1} << 30;

ScoringScheme blosum62(int open = 11, int extend = 1) { return {builtin_matrix("BLOSUM62").value(), {open, extend}}; }

Sequence random_letters(Random& random, std::size_t residues, std::uint64_t letters) {
    Sequence sequence(residues);
    for (ResidueCode& code : sequence) code = static_cast<ResidueCode>(random.below(letters));
    return sequence;
}

// Returns the alignments by the definition. Computes all cells, and again for each alignment.
std::vector<std::string> naive_islands(const PairProblem& problem, const ScoringScheme& scheme, std::size_t most) {
    const std::size_t n = problem.target.size();
    std::vector<std::uint8_t> forbidden(problem.query.size() * n);
    std::vector<std::string> islands;
    while (islands.size() < most) {
        const Alignment alignment = naive_pair_alignment(problem, scheme, forbidden);
        if (alignment.runs.empty()) break;
        REQUIRE(rescore(alignment, problem.query, problem.target, scheme) == alignment.score_raw);
        islands.push_back(to_text(alignment));
        std::size_t i = alignment.query_begin, j = alignment.target_begin;
        for (const AlignmentRun& run : alignment.runs) {
            for (std::uint64_t k = 0; k < run.length; ++k) {
                if (run.operation == AlignmentOperation::kMatch) {
                    REQUIRE(forbidden[i * n + j] == 0);
                    forbidden[i * n + j] = 1;
                }
                i += run.operation != AlignmentOperation::kDelete;
                j += run.operation != AlignmentOperation::kInsert;
            }
        }
    }
    return islands;
}

std::vector<std::string> found_islands(const PairProblem& problem, const ScoringScheme& scheme, std::size_t most,
                                       CpuBackend backend, const PairLimits& limits, unsigned threads) {
    const ThreadPool pool(threads);
    const auto sweeper = make_cpu_pair_sweeper(backend, {scheme, true}, pool);
    PairIslands islands(problem, scheme, limits, *sweeper, backend, pool);
    REQUIRE(islands.fill({}).ok());
    std::vector<std::string> found;
    while (found.size() < most) {
        const auto score_raw = islands.next_score_raw({});
        REQUIRE(score_raw.ok());
        const auto alignment = islands.next({});
        REQUIRE(alignment.ok());
        REQUIRE(alignment->score_raw == *score_raw);
        if (alignment->runs.empty()) break;
        found.push_back(to_text(*alignment));
    }
    return found;
}

// Compares the alignments, `most` at most. Returns their number.
std::size_t check_islands(const Sequence& query, const Sequence& target, const ScoringScheme& scheme,
                          std::size_t most) {
    const PairProblem problem{query, target, true, {}};
    const auto expected = naive_islands(problem, scheme, most);
    for (const CpuBackend backend : runnable_cpu_backends()) {
        CAPTURE(std::string(cpu_backend_name(backend)));
        for (const std::uint64_t bytes : {kNoMemory, kMuchMemory}) {
            CAPTURE(bytes);
            PairLimits limits;
            limits.grid_bytes = bytes;
            REQUIRE(found_islands(problem, scheme, most, backend, limits, 1) == expected);
            // Blocks of a few thousand cells are treated as if they were worth a GPU.
            limits.least_sweeper_cells = 3000;
            limits.trace_threads = 2;
            REQUIRE(found_islands(problem, scheme, most, backend, limits, 3) == expected);
        }
    }
    return expected.size();
}

}  // namespace

TEST_CASE("islands by hand") {
    // Two pieces change places.
    const Sequence ab = encode_residues("WCHPMKDEYGIT"), ba = encode_residues("KDEYGITWCHPM");
    const PairProblem problem{ab, ba, true, {}};
    const auto islands = found_islands(problem, blosum62(), 3, CpuBackend::kReference, {}, 1);
    REQUIRE(islands.size() == 3);
    CHECK(islands[0] == "40 query 0-5 target 7-12 5M");
    CHECK(islands[1] == "38 query 5-12 target 0-7 7M");
    CHECK(islands[2] == "2 query 7-8 target 1-2 1M");  // E and D; among equals the smallest target position
    CHECK(check_islands(ab, ba, blosum62(), 100) > 3);
    CHECK(check_islands(encode_residues("A"), encode_residues("A"), blosum62(), 5) == 1);
    CHECK(check_islands(encode_residues("A"), encode_residues("W"), blosum62(), 5) == 0);
    CHECK(check_islands({}, encode_residues("W"), blosum62(), 5) == 0);
    CHECK(check_islands(encode_residues("W"), {}, blosum62(), 5) == 0);
}

TEST_CASE("every alignment of small random pairs with many ties") {
    Random random(71);
    std::size_t all = 0;
    constexpr std::size_t kRounds = fewer(120, 15);
    for (std::size_t round = 0; round < kRounds; ++round) {
        const Sequence query = random_letters(random, 1 + random.below(40), 2 + random.below(3));
        const Sequence target = round % 2 == 0 ? mutated(random, query, 0.8, 0.1)
                                               : random_letters(random, 1 + random.below(40), 2 + random.below(3));
        const ScoringScheme scheme{
            match_mismatch(1 + static_cast<int>(random.below(3)), -static_cast<int>(random.below(4))),
            {static_cast<int>(random.below(4)), static_cast<int>(random.below(3))}};
        CAPTURE(round);
        all += check_islands(query, target.empty() ? query : target, scheme, 1000);
    }
    CHECK(all > 10 * kRounds);
}

// From here on matrices have grids, and grids within their blocks.

TEST_CASE("pieces in another order, and repeats" * doctest::test_suite(kLaterUnderSanitizers)) {
    Random random(72);
    for (const auto& scheme : {blosum62(), blosum62(5, 0), ScoringScheme{match_mismatch(2, -3), {5, 2}}}) {
        std::vector<Sequence> pieces;
        for (const std::size_t residues : {300u, 500u, 200u, 350u}) pieces.push_back(random_protein(random, residues));
        Sequence query, target;
        for (const std::size_t piece : {0u, 1u, 2u, 3u})
            query.insert(query.end(), pieces[piece].begin(), pieces[piece].end());
        for (const std::size_t piece : {2u, 1u, 1u, 0u}) {
            const Sequence copy = mutated(random, pieces[piece], 0.8);
            target.insert(target.end(), copy.begin(), copy.end());
        }
        CHECK(check_islands(query, target, scheme, fewer(8, 4)) == fewer(8, 4));
    }
}

TEST_CASE("one letter, in which every diagonal is an alignment" * doctest::test_suite(kLaterUnderSanitizers)) {
    const ScoringScheme dna{match_mismatch(1, -1), {1, 1}};
    CHECK(check_islands(Sequence(700, 0), Sequence(500, 0), dna, 5) == 5);
    CHECK(check_islands(Sequence(500, 0), Sequence(700, 0), {match_mismatch(1, 0), {0, 0}}, 5) == 5);
}

TEST_CASE("long and narrow matrices, and one that is its own query") {
    Random random(73);
    const Sequence longest = random_protein(random, 12'000);
    const Sequence part(longest.begin() + 5'555, longest.begin() + 5'605);
    CHECK(check_islands(part, longest, blosum62(), 4) == 4);
    CHECK(check_islands(longest, part, blosum62(), 4) == 4);
    const Sequence itself = random_letters(random, 900, 4);
    CHECK(check_islands(itself, itself, {match_mismatch(2, -3), {5, 2}}, 5) == 5);
}

namespace {

/// A grid that behaves as if it were not in the host's memory.
class FarGrid final : public PairGrid {
   public:
    explicit FarGrid(std::unique_ptr<PairGrid> grid)
        : PairGrid(grid->rows(), grid->columns(), grid->row_step(), grid->column_step()), grid_(std::move(grid)) {}
    Status read_row_checkpoint(std::uint64_t index, std::uint64_t first, std::span<BorderCell> cells) const override {
        WARPSEQ_TRY(grid_->read_row_checkpoint(index, first, cells));
        if (first == 0 && !cells.empty()) cells[0].gap = 77;  // "with an unspecified gap"
        return {};
    }
    Status read_column_checkpoint(std::uint64_t index, std::uint64_t first,
                                  std::span<BorderCell> cells) const override {
        WARPSEQ_TRY(grid_->read_column_checkpoint(index, first, cells));
        if (first == 0 && !cells.empty()) cells[0].gap = 77;
        return {};
    }
    std::span<const std::int32_t> block_maxima_raw() const override { return grid_->block_maxima_raw(); }

   private:
    std::unique_ptr<PairGrid> grid_;
};

/// A sweeper that behaves like a GPU. It has steps in granules, several matrices at a time, grids
/// of its own, and no exact cells if pruning is allowed.
class FarSweeper final : public PairSweeper {
   public:
    FarSweeper(const ScoringScheme& scheme, const ThreadPool& pool)
        : sweeper_(make_cpu_pair_sweeper(CpuBackend::kPortable, {scheme, true}, pool)) {}
    std::uint64_t row_granule(std::uint64_t, std::uint64_t) const override { return 64; }
    std::uint64_t side_by_side(std::uint64_t, std::uint64_t) const override { return 3; }
    Result<std::vector<std::unique_ptr<PairGrid>>> sweep(std::span<const SweepTask> tasks,
                                                         const SweepControl& control) override {
        most_tasks = std::max(most_tasks, tasks.size());
        for (const SweepTask& task : tasks) {
            CHECK((task.row_step % 64 == 0 || task.row_step >= task.query.size()));
            CHECK(task.reached_raw == SweepTask::kNoPruning);
        }
        auto grids = sweeper_->sweep(tasks, control);
        if (!grids.ok()) return grids.status();
        std::vector<std::unique_ptr<PairGrid>> far;
        for (auto& grid : *grids) far.push_back(std::make_unique<FarGrid>(std::move(grid)));
        return far;
    }

    std::size_t most_tasks = 0;

   private:
    std::unique_ptr<PairSweeper> sweeper_;
};

}  // namespace

TEST_CASE("a sweeper that is elsewhere, as GPUs are") {
    Random random(77);
    const ScoringScheme scheme{match_mismatch(2, -3), {5, 2}};
    const Sequence front = random_letters(random, 800, 4), back = random_letters(random, 900, 4);
    Sequence query = front, target = mutated(random, back, 0.9);
    query.insert(query.end(), back.begin(), back.end());
    target.insert(target.end(), front.begin(), front.end());
    const PairProblem problem{query, target, true, {}};
    const auto expected = naive_islands(problem, scheme, 6);
    const ThreadPool pool(3);
    FarSweeper sweeper(scheme, pool);
    PairLimits limits;
    limits.grid_bytes = 1 << 18;
    limits.least_sweeper_cells = 3000;
    PairIslands islands(problem, scheme, limits, sweeper, CpuBackend::kPortable, pool);
    REQUIRE(islands.fill({}).ok());
    for (const std::string& text : expected) {
        const auto alignment = islands.next({});
        REQUIRE(alignment.ok());
        CHECK(to_text(*alignment) == text);
    }
    CHECK(sweeper.most_tasks == 3);
}

TEST_CASE("forbidden pairs are found in any area") {
    Random random(74);
    ForbiddenPairs forbidden;
    constexpr std::uint64_t kSide = 60;
    std::vector<std::uint8_t> expected(kSide * kSide);
    for (int path = 0; path < 3; ++path) {
        Alignment alignment;
        std::uint64_t row = random.below(20), column = random.below(20);
        alignment.query_begin = row;
        alignment.target_begin = column;
        while (row < 45 && column < 45) {
            const AlignmentRun run{static_cast<AlignmentOperation>(random.below(3)), 1 + random.below(7)};
            if (!alignment.runs.empty() && alignment.runs.back().operation == run.operation) continue;
            alignment.runs.push_back(run);
            for (std::uint64_t k = 0; k < run.length; ++k) {
                if (run.operation == AlignmentOperation::kMatch) expected[row * kSide + column] = 1;
                row += run.operation != AlignmentOperation::kDelete;
                column += run.operation != AlignmentOperation::kInsert;
            }
        }
        forbidden.add(alignment);
    }
    std::size_t met = 0;
    for (int round = 0; round < 2000; ++round) {
        PairArea area{random.below(kSide), random.below(kSide), 0, 0};
        area.rows = 1 + random.below(std::min<std::uint64_t>(9, kSide - area.first_row));
        area.columns = 1 + random.below(std::min<std::uint64_t>(9, kSide - area.first_column));
        std::vector<std::uint8_t> cells(area.rows * area.columns, 7), in_area;
        for (std::uint64_t i = 0; i < area.rows; ++i) {
            for (std::uint64_t j = 0; j < area.columns; ++j) {
                in_area.push_back(expected[(area.first_row + i) * kSide + area.first_column + j]);
            }
        }
        forbidden.mark(area, cells);
        REQUIRE(cells == in_area);
        const bool meets = std::ranges::find(in_area, 1) != in_area.end();
        REQUIRE(forbidden.meets(area) == meets);
        met += meets;
    }
    CHECK(met > 100);
    CHECK(met < 1900);
}

TEST_CASE("a stop ends every step") {
    Random random(75);
    const Sequence query = random_protein(random, 1000), target = mutated(random, query, 0.9);
    const ScoringScheme scheme = blosum62();
    const ThreadPool pool(2);
    const auto sweeper = make_cpu_pair_sweeper(runnable_cpu_backends().back(), {scheme, true}, pool);
    std::stop_source stopped;
    stopped.request_stop();
    SweepControl control;
    control.stop = stopped.get_token();
    const PairProblem problem{query, target, true, {}};
    const auto make = [&] { return PairIslands(problem, scheme, {}, *sweeper, runnable_cpu_backends().back(), pool); };
    PairIslands at_first = make(), at_next = make(), at_score = make();
    CHECK(at_first.fill(control).code() == StatusCode::kInterrupted);
    REQUIRE(at_next.fill({}).ok());
    CHECK(at_next.next(control).status().code() == StatusCode::kInterrupted);
    REQUIRE(at_score.fill({}).ok());
    REQUIRE(at_score.next({}).ok());
    CHECK(at_score.next_score_raw(control).status().code() == StatusCode::kInterrupted);
}

TEST_CASE("progress counts cells that are filled again, no more than there are") {
    Random random(76);
    const Sequence query = random_protein(random, 3000), target = mutated(random, query, 0.9);
    const ScoringScheme scheme = blosum62();
    const ThreadPool pool(2);
    const auto sweeper = make_cpu_pair_sweeper(runnable_cpu_backends().back(), {scheme, true}, pool);
    PairIslands islands({query, target, true, {}}, scheme, {}, *sweeper, runnable_cpu_backends().back(), pool);
    const std::uint64_t cells = query.size() * target.size();
    std::uint64_t counted = 0;
    SweepControl control;
    control.progress = [&counted](std::uint64_t done) { counted += done; };
    REQUIRE(islands.fill(control).ok());
    CHECK(counted == cells);
    REQUIRE(islands.next({}).ok());
    counted = 0;
    REQUIRE(islands.next_score_raw(control).ok());
    CHECK(counted > 0);
    CHECK(counted <= cells);
}
