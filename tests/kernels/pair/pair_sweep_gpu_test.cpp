// The GPU's sweeps of pairs, compared with the scalar reference: every cell of every checkpoint and
// every block's maximum, through every shape of the kernel. Prints a note if there is no GPU.
#include "kernels/pair/pair_sweep_gpu.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kernels/gpu/device.h"
#include "kernels/pair/pair_islands.h"
#include "kernels/pair/pair_sweep_reference.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/gpu.h"
#include "tests/support/random_proteins.h"

using namespace warpseq;
using namespace warpseq::cuda;
using namespace warpseq::testing;

namespace {

/// Returns scores for equal and unequal letters of codes 0..3. Code 4 scores `other` with all.
SubstitutionMatrix letters_matrix(int match, int mismatch, int other) {
    SubstitutionMatrix::Table table;
    for (auto& row : table) row.fill(SubstitutionMatrix::kPaddingScore);
    for (int a = 0; a < 5; ++a) {
        for (int b = 0; b < 5; ++b) {
            table[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] =
                static_cast<std::int8_t>(a == 4 || b == 4 ? other
                                         : a == b         ? match
                                                          : mismatch);
        }
    }
    return {"letters", table};
}

Sequence random_letters(Random& random, std::size_t residues, int letters = 4) {
    Sequence sequence(residues);
    for (ResidueCode& code : sequence)
        code = static_cast<ResidueCode>(random.below(static_cast<std::uint64_t>(letters)));
    return sequence;
}

/// Returns a relative with substitutions. Now and then a few letters are left out or added.
Sequence relative_of(Random& random, const Sequence& ancestor, double changed) {
    Sequence sequence;
    for (std::size_t i = 0; i < ancestor.size(); ++i) {
        if (random.uniform() < changed / 10) i += random.below(20);
        if (random.uniform() < changed / 10) {
            const Sequence added = random_letters(random, random.below(20));
            sequence.insert(sequence.end(), added.begin(), added.end());
        }
        if (i < ancestor.size())
            sequence.push_back(random.uniform() < changed ? static_cast<ResidueCode>(random.below(4)) : ancestor[i]);
    }
    return sequence;
}

/// A matrix whose borders are given by a caller, or are those that a matrix begins with.
struct Matrix {
    Sequence query, target;
    std::vector<BorderCell> top, left;
    PairLine begin_top, begin_left;
    bool begins = false;
    std::uint64_t row_step = 0, column_step = 0;
    std::int32_t reached_raw = SweepTask::kNoPruning;

    Matrix(Sequence q, Sequence t, const PairScoring& scoring, bool free_ends = false)
        : query(std::move(q)), target(std::move(t)) {
        const GapCosts gaps = scoring.scheme.gaps;
        const auto border = [&](std::size_t cells) {
            std::vector<BorderCell> line(cells);
            for (std::size_t i = 0; i < cells; ++i) {
                const bool zero = i == 0 || scoring.local || free_ends;
                const std::int32_t h = zero ? 0 : -gaps.open - static_cast<std::int32_t>(i) * gaps.extend;
                line[i] = {h, h - gaps.first()};
            }
            return line;
        };
        top = border(target.size() + 1);
        left = border(query.size() + 1);
        begin_top = PairLine::beginning(target.size(), gaps, scoring.local || free_ends);
        begin_left = PairLine::beginning(query.size(), gaps, scoring.local || free_ends);
        row_step = query.size();
        column_step = target.size();
    }
    SweepTask task() const {
        SweepTask task{.query = query,
                       .target = target,
                       .top = begins ? begin_top : PairLine(top),
                       .left = begins ? begin_left : PairLine(left),
                       .row_step = row_step,
                       .column_step = column_step};
        task.reached_raw = reached_raw;
        return task;
    }
};

std::unique_ptr<PairSweeper> gpu_sweeper(const PairScoring& scoring, const PairShape* shape = nullptr) {
    std::vector<PairShape> shapes;
    if (shape != nullptr) shapes.push_back(*shape);
    auto sweeper = make_pair_sweeper(scoring, {.ordinals = {0}, .shapes = shapes});
    REQUIRE_MESSAGE(sweeper.ok(), sweeper.status().message());
    return *std::move(sweeper);
}

std::vector<std::unique_ptr<PairGrid>> sweep(PairSweeper& sweeper, const std::vector<SweepTask>& tasks,
                                             const SweepControl& control = {}) {
    auto grids = sweeper.sweep(tasks, control);
    REQUIRE_MESSAGE(grids.ok(), grids.status().message());
    REQUIRE(grids->size() == tasks.size());
    return *std::move(grids);
}

struct Checkpoints {
    std::vector<std::vector<BorderCell>> rows, columns;
};

Checkpoints read_checkpoints(const PairGrid& grid) {
    Checkpoints checkpoints;
    for (std::uint64_t i = 0; i < grid.row_blocks(); ++i) {
        checkpoints.rows.emplace_back(grid.columns() + 1);
        REQUIRE(grid.read_row_checkpoint(i, 0, checkpoints.rows.back()).ok());
        checkpoints.rows.back()[0].gap = 0;
    }
    for (std::uint64_t i = 0; i < grid.column_blocks(); ++i) {
        checkpoints.columns.emplace_back(grid.rows() + 1);
        REQUIRE(grid.read_column_checkpoint(i, 0, checkpoints.columns.back()).ok());
        checkpoints.columns.back()[0].gap = 0;
    }
    return checkpoints;
}

/// Returns the first place where two grids differ, or an empty text if they are the same.
std::string difference(const PairGrid& got, const PairGrid& expected) {
    const Checkpoints a = read_checkpoints(got), b = read_checkpoints(expected);
    const auto differ = [](const char* what, std::size_t index, const std::vector<BorderCell>& x,
                           const std::vector<BorderCell>& y) {
        const auto at = std::ranges::mismatch(x, y);
        if (at.in1 == x.end()) return std::string();
        return std::string(what) + " checkpoint " + std::to_string(index) + " cell " +
               std::to_string(at.in1 - x.begin()) + ": " + std::to_string(at.in1->h) + "/" +
               std::to_string(at.in1->gap) + " instead of " + std::to_string(at.in2->h) + "/" +
               std::to_string(at.in2->gap);
    };
    for (std::size_t i = 0; i < b.rows.size(); ++i) {
        if (const std::string text = differ("row", i, a.rows[i], b.rows[i]); !text.empty()) return text;
    }
    for (std::size_t i = 0; i < b.columns.size(); ++i) {
        if (const std::string text = differ("column", i, a.columns[i], b.columns[i]); !text.empty()) return text;
    }
    if (!std::ranges::equal(got.block_maxima_raw(), expected.block_maxima_raw())) return "maxima";
    return "";
}

void check_equal(const PairScoring& scoring, const Matrix& matrix, PairSweeper& gpu) {
    CAPTURE(matrix.query.size());
    CAPTURE(matrix.target.size());
    CAPTURE(matrix.row_step);
    CAPTURE(matrix.column_step);
    const auto reference = make_reference_pair_sweeper(scoring);
    const auto expected = sweep(*reference, {matrix.task()}), got = sweep(gpu, {matrix.task()});
    CHECK(difference(*got[0], *expected[0]) == "");
}

}  // namespace

TEST_CASE("every shape, sizes around its strips and chunks") {
    if (!have_gpu()) return;
    Random random(1);
    const ScoringScheme scheme{letters_matrix(2, -3, -1), {5, 2}};
    for (const PairShape& shape : kPairShapes) {
        CAPTURE(shape.rows_per_half);
        CAPTURE(shape.wide);
        for (const bool local : {false, true}) {
            CAPTURE(local);
            const PairScoring scoring{scheme, local};
            const auto gpu = gpu_sweeper(scoring, &shape);
            const std::size_t strip = shape.strip_rows();
            CHECK(gpu->row_granule(1000, 1000) == strip);
            for (const std::size_t rows :
                 {std::size_t{1}, std::size_t{2}, strip - 1, strip, strip + 1, 3 * strip + strip / 3}) {
                for (const std::size_t columns : {1u, 2u, 31u, 32u, 33u, 63u, 64u, 65u, 97u, 160u, 611u}) {
                    Matrix matrix(random_letters(random, rows, 5), random_letters(random, columns, 5), scoring);
                    check_equal(scoring, matrix, *gpu);
                    matrix.column_step = 1 + random.below(columns + 40);
                    if (rows > strip) matrix.row_step = strip * (1 + random.below(3));
                    check_equal(scoring, matrix, *gpu);
                    const auto given = sweep(*gpu, {matrix.task()});
                    matrix.begins = true;
                    const auto begun = sweep(*gpu, {matrix.task()});
                    CHECK(difference(*begun[0], *given[0]) == "");
                }
            }
            // The last strip has any number of rows in its halves, and is wide enough for its short
            // step.
            for (std::size_t rows_per_half = 0; rows_per_half < static_cast<std::size_t>(shape.rows_per_half);
                 ++rows_per_half) {
                const std::size_t halves = strip / static_cast<std::size_t>(shape.rows_per_half);
                Matrix partial(random_letters(random, strip + rows_per_half * halves + 1 + random.below(halves)),
                               random_letters(random, 700), scoring);
                partial.begins = true;
                partial.column_step = 400;
                check_equal(scoring, partial, *gpu);
            }
            Matrix narrow(random_letters(random, 12 * strip + 7), random_letters(random, 5), scoring);
            check_equal(scoring, narrow, *gpu);
            Matrix lines(random_letters(random, strip + 5), random_letters(random, 300), scoring);
            lines.column_step = 1;
            lines.row_step = strip;
            check_equal(scoring, lines, *gpu);
        }
    }
}

TEST_CASE("gap costs and matrices, proteins and related sequences") {
    if (!have_gpu()) return;
    Random random(2);
    const SubstitutionMatrix blosum = *builtin_matrix("BLOSUM62"), steep = letters_matrix(127, -127, -128),
                             flat = letters_matrix(0, -1, -1), low = letters_matrix(-1, -2, -3);
    for (const SubstitutionMatrix* matrix : {&blosum, &steep, &flat, &low}) {
        for (const GapCosts gaps : {GapCosts{11, 1}, GapCosts{0, 0}, GapCosts{0, 3}, GapCosts{7, 0}, GapCosts{300, 100},
                                    GapCosts{20000, 1}, GapCosts{1'000'000, 1'000'000}}) {
            const ScoringScheme scheme{*matrix, gaps};
            CAPTURE(gaps.open);
            CAPTURE(gaps.extend);
            for (const bool local : {false, true}) {
                CAPTURE(local);
                const PairScoring scoring{scheme, local};
                if (!local && gaps.extend == 1'000'000) continue;  // scores of more than 32 bits
                const auto gpu = gpu_sweeper(scoring);
                const Sequence query = matrix == &blosum ? random_codes(random, 1200) : random_letters(random, 1200);
                const Sequence target = matrix == &blosum ? random_codes(random, 900) : relative_of(random, query, 0.2);
                for (const bool free_ends : {false, true}) {
                    Matrix pair(query, target, scoring, free_ends);
                    pair.column_step = 100;
                    pair.row_step = gpu->row_granule(1200, 900);
                    check_equal(scoring, pair, *gpu);
                }
            }
        }
    }
}

TEST_CASE("scores that leave 16 bits many times, both ways") {
    if (!have_gpu()) return;
    Random random(3);
    for (const int match : {2, 30, 127}) {
        const ScoringScheme scheme{letters_matrix(match, -match, -1), {match, 1 + match / 3}};
        for (const bool local : {false, true}) {
            CAPTURE(match);
            CAPTURE(local);
            const PairScoring scoring{scheme, local};
            const Sequence query = random_letters(random, 12000);
            const auto gpu = gpu_sweeper(scoring);
            Matrix related(query, relative_of(random, query, 0.05), scoring);
            related.column_step = 1000;
            related.row_step = 2048;
            check_equal(scoring, related, *gpu);
            Matrix unrelated(query, random_letters(random, 9000), scoring);
            unrelated.column_step = 1000;
            unrelated.row_step = 2048;
            check_equal(scoring, unrelated, *gpu);
        }
    }
}

TEST_CASE("a block inside a matrix, from the checkpoints around it, and borders of no matrix at all") {
    if (!have_gpu()) return;
    Random random(4);
    const ScoringScheme scheme{letters_matrix(5, -4, -2), {10, 1}};
    for (const bool local : {false, true}) {
        const PairScoring scoring{scheme, local};
        const Sequence query = random_letters(random, 4096), target = relative_of(random, query, 0.1);
        Matrix whole(query, target, scoring);
        whole.row_step = 1024;
        whole.column_step = 1000;
        const auto gpu = gpu_sweeper(scoring);
        const auto grids = sweep(*gpu, {whole.task()});
        const PairGrid& grid = *grids[0];
        Matrix block(Sequence(query.begin() + 1024, query.begin() + 2048),
                     Sequence(target.begin() + 2000, target.begin() + 3000), scoring);
        REQUIRE(grid.read_row_checkpoint(0, 2000, block.top).ok());
        REQUIRE(grid.read_column_checkpoint(1, 1024, block.left).ok());
        block.column_step = 64;
        block.row_step = 256;
        check_equal(scoring, block, *gpu);
        std::vector<BorderCell> right(1025), bottom(1001);
        const auto again = sweep(*gpu, {block.task()});
        REQUIRE(grid.read_column_checkpoint(2, 1024, right).ok());
        REQUIRE(grid.read_row_checkpoint(1, 2000, bottom).ok());
        const Checkpoints checkpoints = read_checkpoints(*again[0]);
        CHECK(std::equal(right.begin() + 1, right.end(), checkpoints.columns.back().begin() + 1));
        CHECK(std::equal(bottom.begin() + 1, bottom.end(), checkpoints.rows.back().begin() + 1));
        if (!local) {
            for (BorderCell& cell : block.top) cell.h += static_cast<std::int32_t>(random.below(200'000));
            for (BorderCell& cell : block.left)
                cell = {static_cast<std::int32_t>(random.below(200'000)), -2'000'000'000};
            block.left[0].h = block.top[0].h;
            check_equal(scoring, block, *gpu);
        }
        // Rows and columns 0 rise more steeply than those of any matrix, and gaps are above H. So
        // the rest of the highest cell is far below it.
        for (const std::int32_t slope : {1'000, 20'000}) {
            for (std::size_t j = 0; j < block.top.size(); ++j)
                block.top[j].h = slope * static_cast<std::int32_t>(j), block.top[j].gap = block.top[j].h - 11;
            for (std::size_t i = 0; i < block.left.size(); ++i)
                block.left[i].h = slope * static_cast<std::int32_t>(i), block.left[i].gap = block.left[i].h - 11;
            check_equal(scoring, block, *gpu);
            for (BorderCell& cell : block.top) cell = {0, -11};
            for (BorderCell& cell : block.left) cell = {0, -11};
            block.left[300].gap = slope;
            check_equal(scoring, block, *gpu);
            block.left[300].gap = -11;
        }
    }
}

TEST_CASE("pruning leaves every cell alone that the highest score can be reached from") {
    if (!have_gpu()) return;
    Random random(5);
    const ScoringScheme scheme{letters_matrix(1, -3, -1), {5, 2}};
    const PairScoring scoring{scheme, true};
    const Sequence query = random_letters(random, 9000), target = relative_of(random, query, 0.02);
    const auto reference = make_reference_pair_sweeper(scoring);
    for (const PairShape& shape : kPairShapes) {
        CAPTURE(shape.rows_per_half);
        const auto gpu = gpu_sweeper(scoring, &shape);
        Matrix matrix(query, target, scoring);
        matrix.row_step = 1024;
        matrix.column_step = 1500;
        const auto expected = sweep(*reference, {matrix.task()});
        const std::int32_t best = std::ranges::max(expected[0]->block_maxima_raw());
        REQUIRE(best > 5000);
        for (const std::int32_t known : {0, best / 2, best}) {
            CAPTURE(known);
            matrix.reached_raw = known;
            const auto got = sweep(*gpu, {matrix.task()});
            CHECK(std::ranges::max(got[0]->block_maxima_raw()) == best);
            const Checkpoints a = read_checkpoints(*got[0]), b = read_checkpoints(*expected[0]);
            std::size_t wrong = 0, lower = 0, reaching = 0;
            const auto look = [&](const BorderCell& x, const BorderCell& y, std::uint64_t i, std::uint64_t j) {
                const auto left = static_cast<std::int32_t>(std::min(query.size() - i, target.size() - j));
                const bool reaches = y.h + left >= best;
                reaching += reaches;
                lower += x.h < y.h;
                if (x.h > y.h || x.h < 0 || x.gap > y.gap || (reaches && x != y)) ++wrong;
            };
            for (std::size_t index = 0; index < b.rows.size(); ++index) {
                for (std::size_t j = 1; j < b.rows[index].size(); ++j) {
                    look(a.rows[index][j], b.rows[index][j], std::min<std::uint64_t>((index + 1) * 1024, query.size()),
                         j);
                }
            }
            for (std::size_t index = 0; index < b.columns.size(); ++index) {
                for (std::size_t i = 1; i < b.columns[index].size(); ++i) {
                    look(a.columns[index][i], b.columns[index][i], i,
                         std::min<std::uint64_t>((index + 1) * 1500, target.size()));
                }
            }
            CHECK(wrong == 0);
            CHECK(reaching > 0);
            if (known == best) CHECK(lower > 0);
        }
    }
}

TEST_CASE("many pairs side by side") {
    if (!have_gpu()) return;
    Random random(6);
    for (const bool local : {false, true}) {
        const ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
        const PairScoring scoring{scheme, local};
        std::vector<Matrix> matrices;
        for (int i = 0; i < 300; ++i) {
            matrices.emplace_back(random_protein(random, 1 + random.below(i % 50 == 0 ? 3000 : 500)),
                                  random_protein(random, 1 + random.below(500)), scoring);
            if (i % 3 == 0) matrices.back().column_step = 50;
        }
        std::vector<SweepTask> tasks;
        for (const Matrix& matrix : matrices) tasks.push_back(matrix.task());
        const auto gpu = gpu_sweeper(scoring);
        const auto reference = make_reference_pair_sweeper(scoring);
        const auto expected = sweep(*reference, tasks);
        for (const std::size_t count : {std::size_t{2}, std::size_t{40}, tasks.size()}) {
            const auto got = sweep(*gpu, {tasks.begin(), tasks.begin() + static_cast<std::ptrdiff_t>(count)});
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < count; ++i) wrong += difference(*got[i], *expected[i]) != "";
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("lists of local alignments are those of the reference") {
    if (!have_gpu()) return;
    Random random(8);
    const ScoringScheme scheme{letters_matrix(2, -3, -1), {5, 2}};
    // The target has three pieces in another order, one of them twice.
    std::vector<Sequence> pieces;
    for (const std::size_t residues : {1500u, 2500u, 2000u}) pieces.push_back(random_letters(random, residues));
    Sequence query, target;
    for (const Sequence& piece : pieces) query.insert(query.end(), piece.begin(), piece.end());
    for (const std::size_t piece : {2u, 0u, 1u, 0u}) {
        const Sequence relative = relative_of(random, pieces[piece], 0.1);
        target.insert(target.end(), relative.begin(), relative.end());
    }
    const PairProblem problem{query, target, true, {}};
    const ThreadPool pool(2);
    const auto list = [&](PairSweeper& sweeper, CpuBackend backend, const PairLimits& limits) {
        PairIslands islands(problem, scheme, limits, sweeper, backend, pool);
        REQUIRE(islands.fill({}).ok());
        std::vector<Alignment> alignments;
        for (int k = 0; k < 8; ++k) {
            auto alignment = islands.next({});
            REQUIRE_MESSAGE(alignment.ok(), alignment.status().message());
            alignments.push_back(*std::move(alignment));
        }
        return alignments;
    };
    const auto reference = make_reference_pair_sweeper({scheme, true});
    const auto expected = list(*reference, CpuBackend::kReference, {});
    const auto gpu = gpu_sweeper({scheme, true});
    for (const std::uint64_t grid_bytes : {std::uint64_t{1} << 18, std::uint64_t{1} << 24}) {
        PairLimits limits;
        limits.grid_bytes = grid_bytes;
        limits.least_sweeper_cells = 100'000;  // so that the GPU fills blocks again, and those on the path
        CHECK(list(*gpu, CpuBackend::kPortable, limits) == expected);
    }
    CHECK(expected.back().score_raw > 0);
}

TEST_CASE("rows that are done can be read while the sweep goes on, and it can be stopped") {
    if (!have_gpu()) return;
    Random random(7);
    const ScoringScheme scheme{letters_matrix(1, -1, -1), {2, 1}};
    const PairScoring scoring{scheme, true};
    const PairShape shape{4, false};  // small strips: many of them
    const auto gpu = gpu_sweeper(scoring, &shape);
    Matrix matrix(random_letters(random, 2'000'000), random_letters(random, 1'000'000), scoring);
    matrix.begins = true;
    matrix.row_step = 256 * 400;
    matrix.column_step = 400'000;
    std::uint64_t cells = 0, rows_told = 0;
    // The parts of each row checkpoint, of the last column checkpoint and of the maxima that could
    // be read when they were reported.
    std::vector<std::vector<BorderCell>> early_rows;
    std::vector<BorderCell> early_column(1);
    std::vector<std::int32_t> early_maxima;
    SweepControl control;
    control.progress = [&](std::uint64_t more) { cells += more; };
    control.rows_done = [&](const PairGrid& grid, std::uint64_t row_blocks) {
        CHECK(row_blocks > rows_told);
        if (rows_told == 0) CHECK(row_blocks < grid.row_blocks());
        early_rows.emplace_back(grid.columns() + 1);
        CHECK(grid.read_row_checkpoint(row_blocks - 1, 0, early_rows.back()).ok());
        const std::uint64_t from = early_column.size(), to = std::min(grid.rows(), row_blocks * grid.row_step()) + 1;
        early_column.resize(to);
        CHECK(grid.read_column_checkpoint(2, from, std::span(early_column).subspan(from)).ok());
        const auto maxima = grid.block_maxima_raw();
        early_maxima.insert(early_maxima.end(), maxima.begin() + static_cast<std::ptrdiff_t>(rows_told * 3),
                            maxima.begin() + static_cast<std::ptrdiff_t>(row_blocks * 3));
        early_rows.back()[0].h = static_cast<std::int32_t>(row_blocks);  // marks the checkpoint with its number
        rows_told = row_blocks;
        return Status{};
    };
    const auto grids = sweep(*gpu, {matrix.task()}, control);
    CHECK(rows_told == grids[0]->row_blocks());
    CHECK(cells == std::uint64_t{2'000'000} * 1'000'000);
    CHECK(early_rows.size() > 1);
    std::vector<BorderCell> late(matrix.target.size() + 1);
    for (const std::vector<BorderCell>& early : early_rows) {
        REQUIRE(grids[0]->read_row_checkpoint(static_cast<std::uint64_t>(early[0].h) - 1, 0, late).ok());
        CHECK(std::equal(early.begin() + 1, early.end(), late.begin() + 1));
    }
    late.resize(matrix.query.size() + 1);
    REQUIRE(grids[0]->read_column_checkpoint(2, 0, late).ok());
    REQUIRE(early_column.size() == late.size());
    CHECK(std::equal(early_column.begin() + 1, early_column.end(), late.begin() + 1));
    CHECK(std::ranges::equal(early_maxima, grids[0]->block_maxima_raw()));

    std::stop_source stop;
    control = {};
    control.stop = stop.get_token();
    std::thread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        stop.request_stop();
    });
    const auto begun = std::chrono::steady_clock::now();
    const auto stopped = gpu->sweep(std::vector{matrix.task()}, control);
    stopper.join();
    CHECK(!stopped.ok());
    CHECK(stopped.status().code() == StatusCode::kInterrupted);
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(1));
    control.stop = {};
    control.rows_done = [&](const PairGrid&, std::uint64_t) { return Status::io("disk full"); };
    const auto failed = gpu->sweep(std::vector{matrix.task()}, control);
    CHECK(!failed.ok());
    CHECK(failed.status().code() == StatusCode::kIo);
    // The sweeper still works after that.
    Matrix small(random_letters(random, 700), random_letters(random, 600), scoring);
    check_equal(scoring, small, *gpu);
}

namespace {

/// Returns lists of GPUs. GPU 0 stands for two GPUs and for three. If there are two, they are a
/// further list.
std::vector<std::vector<int>> several_gpus() {
    std::vector<std::vector<int>> lists = {{0, 0}, {0, 0, 0}};
    const auto gpus = list_gpus();
    if (gpus.ok() && gpus->size() > 1)
        lists.push_back({0, 1});
    else
        MESSAGE("skipped: two GPUs (there is one)");
    return lists;
}

std::unique_ptr<PairSweeper> banded_sweeper(const PairScoring& scoring, const std::vector<int>& ordinals,
                                            const std::vector<PairShape>& shapes = {}) {
    auto sweeper = make_pair_sweeper(
        scoring, {.ordinals = ordinals, .shapes = shapes, .least_band_columns = 1, .least_dealt_cells = 0});
    REQUIRE_MESSAGE(sweeper.ok(), sweeper.status().message());
    return *std::move(sweeper);
}

}  // namespace

TEST_CASE("bands of columns on several GPUs are as one matrix") {
    if (!have_gpu()) return;
    Random random(9);
    const ScoringScheme scheme{letters_matrix(2, -3, -1), {5, 2}};
    for (const std::vector<int>& ordinals : several_gpus()) {
        CAPTURE(ordinals.size());
        CAPTURE(ordinals.back());
        for (const bool local : {false, true}) {
            CAPTURE(local);
            const PairScoring scoring{scheme, local};
            for (const PairShape& shape : kPairShapes) {
                CAPTURE(shape.rows_per_half);
                CAPTURE(shape.wide);
                const auto gpu = banded_sweeper(scoring, ordinals, {shape});
                const std::size_t strip = shape.strip_rows();
                CHECK(gpu->row_granule(1000, 1000) == strip);
                for (const std::size_t rows : {std::size_t{1}, strip - 1, strip + 1, 3 * strip + strip / 3}) {
                    for (const std::size_t columns : {1u, 2u, 3u, 65u, 611u}) {
                        Matrix matrix(random_letters(random, rows, 5), random_letters(random, columns, 5), scoring);
                        check_equal(scoring, matrix, *gpu);
                        matrix.column_step = 1 + random.below(columns);
                        if (rows > strip) matrix.row_step = strip * (1 + random.below(3));
                        check_equal(scoring, matrix, *gpu);
                    }
                }
            }
            // Some scores exceed 16 bits, and there are more strips than warps.
            const auto gpu = banded_sweeper(scoring, ordinals);
            const Sequence query = random_letters(random, 14000);
            Matrix related(query, relative_of(random, query, 0.05), scoring);
            check_equal(scoring, related, *gpu);
            related.row_step = 4096;
            related.column_step = 1000;
            check_equal(scoring, related, *gpu);
            const PairShape small{4, false};  // strips of 256 rows
            Matrix tall(random_letters(random, 600'000), random_letters(random, 120), scoring);
            tall.column_step = 40;
            check_equal(scoring, tall, *banded_sweeper(scoring, ordinals, {small}));
            // These borders are no matrix's, for the wide shape.
            if (!local) {
                Matrix block(random_letters(random, 1000), random_letters(random, 900), scoring);
                for (BorderCell& cell : block.left)
                    cell = {static_cast<std::int32_t>(random.below(200'000)), -2'000'000'000};
                block.left[0].h = block.top[0].h;
                check_equal(scoring, block, *gpu);
            }
            // Read pieces of checkpoints across the bands' ends.
            const auto reference = make_reference_pair_sweeper(scoring);
            const auto expected = sweep(*reference, {related.task()}), got = sweep(*gpu, {related.task()});
            std::size_t wrong = 0;
            for (int i = 0; i < 200; ++i) {
                const std::uint64_t first = 1 + random.below(got[0]->columns()),
                                    count = 1 + random.below(got[0]->columns() + 1 - first);
                std::vector<BorderCell> a(count), b(count);
                REQUIRE(got[0]->read_row_checkpoint(2, first, a).ok());
                REQUIRE(expected[0]->read_row_checkpoint(2, first, b).ok());
                wrong += a != b;
            }
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("bands prune, tell of progress and can be stopped") {
    if (!have_gpu()) return;
    Random random(10);
    const ScoringScheme scheme{letters_matrix(1, -3, -1), {5, 2}};
    const PairScoring scoring{scheme, true};
    for (const std::vector<int>& ordinals : several_gpus()) {
        CAPTURE(ordinals.size());
        CAPTURE(ordinals.back());
        const auto gpu = banded_sweeper(scoring, ordinals);
        const Sequence query = random_letters(random, 9000);
        Matrix pruned(query, relative_of(random, query, 0.02), scoring);
        const auto reference = make_reference_pair_sweeper(scoring);
        const std::int32_t best = sweep(*reference, {pruned.task()})[0]->block_maxima_raw()[0];
        for (const std::int32_t known : {0, best / 2, best}) {
            pruned.reached_raw = known;
            CHECK(sweep(*gpu, {pruned.task()})[0]->block_maxima_raw()[0] == best);
        }

        Matrix matrix(random_letters(random, 1'500'000), random_letters(random, 800'000), scoring);
        matrix.row_step = 1024 * 100;
        std::uint64_t cells = 0, rows_told = 0;
        std::vector<BorderCell> early(matrix.target.size() + 1), late = early;
        SweepControl control;
        control.progress = [&](std::uint64_t more) { cells += more; };
        control.rows_done = [&](const PairGrid& grid, std::uint64_t row_blocks) {
            CHECK(row_blocks > rows_told);
            if (rows_told == 0) CHECK(grid.read_row_checkpoint(0, 0, early).ok());
            rows_told = row_blocks;
            return Status{};
        };
        const auto grids = sweep(*gpu, {matrix.task()}, control);
        CHECK(rows_told == grids[0]->row_blocks());
        CHECK(cells == std::uint64_t{1'500'000} * 800'000);
        REQUIRE(grids[0]->read_row_checkpoint(0, 0, late).ok());
        CHECK(std::equal(early.begin() + 1, early.end(), late.begin() + 1));

        std::stop_source stop;
        control = {};
        control.stop = stop.get_token();
        std::thread stopper([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            stop.request_stop();
        });
        const auto begun = std::chrono::steady_clock::now();
        const auto stopped = gpu->sweep(std::vector{matrix.task()}, control);
        stopper.join();
        CHECK(!stopped.ok());
        CHECK(stopped.status().code() == StatusCode::kInterrupted);
        CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(1));
        pruned.reached_raw = SweepTask::kNoPruning;
        check_equal(scoring, pruned, *gpu);
    }
}

TEST_CASE("many pairs are dealt to several GPUs") {
    if (!have_gpu()) return;
    Random random(11);
    for (const std::vector<int>& ordinals : several_gpus()) {
        for (const bool local : {false, true}) {
            const ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
            const PairScoring scoring{scheme, local};
            std::vector<Matrix> matrices;
            for (int i = 0; i < 100; ++i) {
                matrices.emplace_back(random_protein(random, 1 + random.below(i % 20 == 0 ? 3000 : 500)),
                                      random_protein(random, 1 + random.below(500)), scoring);
                if (i % 3 == 0) matrices.back().column_step = 50;
            }
            std::vector<SweepTask> tasks;
            std::uint64_t cells = 0, told = 0;
            for (const Matrix& matrix : matrices) {
                tasks.push_back(matrix.task());
                cells += matrix.query.size() * matrix.target.size();
            }
            SweepControl control;
            control.progress = [&](std::uint64_t more) { told += more; };
            const auto gpu = banded_sweeper(scoring, ordinals);
            const auto reference = make_reference_pair_sweeper(scoring);
            const auto expected = sweep(*reference, tasks), got = sweep(*gpu, tasks, control);
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < tasks.size(); ++i) wrong += difference(*got[i], *expected[i]) != "";
            CHECK(wrong == 0);
            CHECK(told == cells);
            // There may be fewer pairs than GPUs.
            const auto two = sweep(*gpu, {tasks[0], tasks[1]});
            CHECK(difference(*two[0], *expected[0]) == "");
            CHECK(difference(*two[1], *expected[1]) == "");
            // This pair takes long enough to be stopped.
            const Sequence longer = random_letters(random, 400'000);
            Matrix large(longer, longer, scoring);
            large.begins = true;
            std::stop_source stop;
            stop.request_stop();
            control.stop = stop.get_token();
            const auto stopped =
                gpu->sweep(std::vector{large.task(), large.task(), large.task(), large.task()}, control);
            REQUIRE(!stopped.ok());
            CHECK(stopped.status().code() == StatusCode::kInterrupted);
        }
    }
}

TEST_CASE("GPUs whose strips differ share the row steps of the tallest") {
    if (!have_gpu()) return;
    Random random(12);
    const ScoringScheme scheme{letters_matrix(2, -3, -1), {5, 2}};
    for (const bool local : {false, true}) {
        const PairScoring scoring{scheme, local};
        const auto gpu = banded_sweeper(scoring, {0, 0}, {{4, false}, {16, false}});
        CHECK(gpu->row_granule(5000, 3000) == 1024);
        const auto reference = make_reference_pair_sweeper(scoring);
        std::vector<Matrix> matrices;
        std::vector<SweepTask> tasks;
        for (int i = 0; i < 6; ++i) {
            Matrix& matrix = matrices.emplace_back(random_letters(random, 5000),
                                                   random_letters(random, 3000 + random.below(200)), scoring);
            matrix.begins = true;
            matrix.row_step = i % 2 == 0 ? 1024 : 256 * 3;  // one that only one of them has strips for
            matrix.column_step = 1000;
        }
        for (const Matrix& matrix : matrices) tasks.push_back(matrix.task());
        const auto expected = sweep(*reference, tasks), got = sweep(*gpu, tasks);
        for (std::size_t i = 0; i < tasks.size(); ++i) CHECK(difference(*got[i], *expected[i]) == "");
        // One matrix is swept in bands.
        for (const std::uint64_t row_step : {std::uint64_t{1024}, std::uint64_t{256 * 3}}) {
            matrices[0].row_step = row_step;
            check_equal(scoring, matrices[0], *gpu);
        }
        // One GPU is forced to use strips that do not divide the step.
        const PairShape tall{16, false};
        check_equal(scoring, matrices[0], *gpu_sweeper(scoring, &tall));
    }
}

TEST_CASE("too little device memory is said, with sizes") {
    if (!have_gpu()) return;
    Random random(8);
    const ScoringScheme scheme{letters_matrix(1, -1, -1), {2, 1}};
    const PairScoring scoring{scheme, false};
    auto gpu = make_pair_sweeper(scoring, {.ordinals = {0}, .device_memory_bytes = std::uint64_t{44} << 20});
    REQUIRE(gpu.ok());
    const auto available =
        grid_bytes_available({.ordinals = {0}, .device_memory_bytes = std::uint64_t{44} << 20}, 20000, 20000);
    REQUIRE(available.ok());
    CHECK(*available > std::uint64_t{32} << 20);
    CHECK(*available < std::uint64_t{64} << 20);
    Matrix matrix(random_letters(random, 20000), random_letters(random, 20000), scoring);
    matrix.column_step = 100;
    CHECK(sweep(**gpu, {matrix.task()}).size() == 1);
    matrix.column_step = 10;
    const auto refused = (*gpu)->sweep(std::vector{matrix.task()}, {});
    REQUIRE(!refused.ok());
    CHECK(refused.status().code() == StatusCode::kUnavailable);
    CHECK(refused.status().message().find("MiB") != std::string::npos);
}
