// Every CPU sweeper that this processor runs against the scalar reference, on one table of cases:
// every cell of every checkpoint and every block's maximum.
#include "kernels/pair/pair_sweep.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/pair/pair_sweep_reference.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/naive_pair.h"
#include "tests/support/random_proteins.h"
#include "tests/support/under_sanitizers.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

enum class Lines { kGlobal, kFreeTarget, kFreeBoth, kLocal };

struct Case {
    std::string name;
    Sequence query, target;
    ScoringScheme scheme;
};

std::vector<BorderCell> line_at_begin(std::size_t residues, const GapCosts& gaps, bool free) {
    std::vector<BorderCell> line(residues + 1);
    for (std::size_t k = 0; k <= residues; ++k) {
        line[k].h = free || k == 0 ? 0 : -gaps.open - static_cast<std::int32_t>(k) * gaps.extend;
        line[k].gap = line[k].h - gaps.first();
    }
    return line;
}

// The contents of a grid, with cells set to 0 whose gap is unspecified.
struct GridContent {
    std::vector<std::vector<BorderCell>> row_checkpoints, column_checkpoints;
    std::vector<std::int32_t> maxima_raw;
    bool operator==(const GridContent&) const = default;
};

GridContent content_of(const PairGrid& grid) {
    GridContent content;
    for (std::uint64_t index = 0; index < grid.row_blocks(); ++index) {
        std::vector<BorderCell> cells(grid.columns() + 1);
        REQUIRE(grid.read_row_checkpoint(index, 0, cells).ok());
        cells[0].gap = 0;
        content.row_checkpoints.push_back(std::move(cells));
    }
    for (std::uint64_t index = 0; index < grid.column_blocks(); ++index) {
        std::vector<BorderCell> cells(grid.rows() + 1);
        REQUIRE(grid.read_column_checkpoint(index, 0, cells).ok());
        cells[0].gap = 0;
        content.column_checkpoints.push_back(std::move(cells));
    }
    content.maxima_raw.assign(grid.block_maxima_raw().begin(), grid.block_maxima_raw().end());
    return content;
}

GridContent swept(PairSweeper& sweeper, const SweepTask& task) {
    auto grids = sweeper.sweep({&task, 1}, {});
    REQUIRE(grids.ok());
    REQUIRE(grids->size() == 1);
    return content_of(*(*grids)[0]);
}

// Returns the first place where two grids differ, for the message.
std::string difference(const GridContent& expected, const GridContent& found) {
    const auto compared = [](const char* what, const auto& a, const auto& b) -> std::string {
        if (a.size() != b.size()) return std::string("number of ") + what + " checkpoints";
        for (std::size_t index = 0; index < a.size(); ++index) {
            for (std::size_t k = 0; k < a[index].size(); ++k) {
                if (a[index][k] == b[index][k]) continue;
                const auto cell = [](const BorderCell& c) { return std::to_string(c.h) + "," + std::to_string(c.gap); };
                return std::string(what) + " checkpoint " + std::to_string(index) + " cell " + std::to_string(k) +
                       ": expected " + cell(a[index][k]) + ", found " + cell(b[index][k]);
            }
        }
        return "";
    };
    std::string text = compared("row", expected.row_checkpoints, found.row_checkpoints);
    if (text.empty()) text = compared("column", expected.column_checkpoints, found.column_checkpoints);
    if (text.empty() && expected.maxima_raw != found.maxima_raw) text = "maxima of blocks";
    return text;
}

std::uint64_t in_granules(std::uint64_t step, const PairSweeper& sweeper, std::size_t m, std::size_t n) {
    const std::uint64_t granule = sweeper.row_granule(m, n);
    return (step + granule - 1) / granule * granule;
}

// Matrices with more cells are not swept by the reference a second time and compared with itself.
constexpr std::uint64_t kLargeMatrix = 500'000;

// Sweeps the matrix of one case with all back ends and numbers of threads, with several grids, and
// blocks of it with the checkpoints of the whole.
void check_case(const Case& c, Lines lines, const std::vector<unsigned>& thread_counts = {2}) {
    CAPTURE(c.name);
    CAPTURE(static_cast<int>(lines));
    const std::size_t m = c.query.size(), n = c.target.size();
    const bool local = lines == Lines::kLocal;
    const PairScoring scoring{c.scheme, local};
    const auto top = line_at_begin(n, c.scheme.gaps, lines != Lines::kGlobal);
    const auto left = line_at_begin(m, c.scheme.gaps, lines == Lines::kFreeBoth || local);
    const auto reference = make_reference_pair_sweeper(scoring);
    // The reference's grids, by their steps. Most back ends ask for the same steps.
    std::map<std::pair<std::uint64_t, std::uint64_t>, GridContent> expectations;
    for (const unsigned threads : thread_counts) {
        CAPTURE(threads);
        ThreadPool pool(threads);
        for (const CpuBackend backend : runnable_cpu_backends()) {
            if (backend == CpuBackend::kReference && m * n > kLargeMatrix) continue;
            CAPTURE(std::string(cpu_backend_name(backend)));
            const auto sweeper = make_cpu_pair_sweeper(backend, scoring, pool);
            for (const auto& [row_step, column_step] : fewer<std::vector<std::pair<std::uint64_t, std::uint64_t>>>(
                     {{m, n}, {m / 2 + 1, n / 2 + 1}, {67, 41}, {m, 100}, {50, n}}, {{m, n}, {67, 41}})) {
                SweepTask task{c.query, c.target, top, left, in_granules(row_step, *sweeper, m, n), column_step};
                task.reached_raw = SweepTask::kNoPruning;
                SweepTask begun = task;  // the same beginnings without memory
                begun.top = PairLine::beginning(n, c.scheme.gaps, lines != Lines::kGlobal);
                begun.left = PairLine::beginning(m, c.scheme.gaps, lines == Lines::kFreeBoth || local);
                CAPTURE(task.row_step);
                CAPTURE(task.column_step);
                GridContent& expected = expectations[{task.row_step, task.column_step}];
                if (expected.row_checkpoints.empty()) expected = swept(*reference, task);
                REQUIRE(difference(expected, swept(*sweeper, task)) == "");
                REQUIRE(difference(expected, swept(*sweeper, begun)) == "");
                if (task.row_step >= m || task.column_step >= n) continue;
                // Sweep the last block by itself, from the checkpoints that bound it.
                const std::uint64_t row = (m - 1) / task.row_step * task.row_step;
                const std::uint64_t column = (n - 1) / task.column_step * task.column_step;
                const auto& row_checkpoint = expected.row_checkpoints[expected.row_checkpoints.size() - 2];
                const auto& column_checkpoint = expected.column_checkpoints[expected.column_checkpoints.size() - 2];
                SweepTask block{std::span(c.query).subspan(row),
                                std::span(c.target).subspan(column),
                                std::span(row_checkpoint).subspan(column),
                                std::span(column_checkpoint).subspan(row),
                                in_granules(20, *sweeper, m - row, n - column),
                                30};
                block.reached_raw = SweepTask::kNoPruning;
                REQUIRE(difference(swept(*reference, block), swept(*sweeper, block)) == "");
            }
        }
    }
}

void check_all_lines(const Case& c) {
    for (const Lines lines : {Lines::kGlobal, Lines::kFreeTarget, Lines::kFreeBoth, Lines::kLocal})
        check_case(c, lines);
}

ScoringScheme blosum62(int open = 11, int extend = 1) { return {builtin_matrix("BLOSUM62").value(), {open, extend}}; }

Sequence random_letters(Random& random, std::size_t residues, std::uint64_t letters) {
    Sequence sequence(residues);
    for (ResidueCode& code : sequence) code = static_cast<ResidueCode>(random.below(letters));
    return sequence;
}

}  // namespace

TEST_CASE("sizes around the lanes of vectors") {
    Random random(61);
    const std::vector<std::size_t> sizes{1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129};
    for (const std::size_t m : sizes) {
        for (const std::size_t n :
             {sizes[random.below(sizes.size())], sizes[random.below(sizes.size())], std::size_t{1}}) {
            const Sequence query = random_protein(random, m);
            check_all_lines({"sizes", query, random_protein(random, n), blosum62()});
        }
    }
}

TEST_CASE("gap costs") {
    Random random(62);
    const Sequence query = random_protein(random, 330);
    const Sequence target = mutated(random, query, 0.7);
    for (const GapCosts& gaps : {GapCosts{11, 1}, GapCosts{0, 1}, GapCosts{0, 0}, GapCosts{5, 0}, GapCosts{300, 100},
                                 GapCosts{30'000, 5}, GapCosts{1'000'000, 1'000'000}}) {
        check_all_lines({"gaps " + std::to_string(gaps.open) + "/" + std::to_string(gaps.extend),
                         query,
                         target,
                         {builtin_matrix("BLOSUM62").value(), gaps}});
    }
}

TEST_CASE("all residue codes under every built-in matrix") {
    Random random(63);
    for (const std::string_view name : builtin_matrix_names()) {
        const Sequence query = random_codes(random, 230);
        check_all_lines(
            {std::string(name), query, mutated(random, query, 0.6), {builtin_matrix(name).value(), {9, 2}}});
    }
}

TEST_CASE("few letters, long repeats") {
    Random random(64);
    const ScoringScheme dna{match_mismatch(1, -1), {1, 1}}, steep{match_mismatch(127, -127), {0, 127}};
    check_all_lines({"poly-A", Sequence(700, 0), Sequence(500, 0), dna});
    check_all_lines({"nothing alike", Sequence(400, 0), Sequence(500, 1), dna});
    check_all_lines({"two letters", random_letters(random, 600, 2), random_letters(random, 650, 2), dna});
    check_all_lines({"two letters, steep", random_letters(random, 400, 2), random_letters(random, 450, 2), steep});
    check_all_lines({"zero everywhere", Sequence(300, 0), Sequence(300, 1), {match_mismatch(0, 0), {0, 0}}});
    check_all_lines({"nothing but costs", Sequence(300, 0), Sequence(300, 1), {match_mismatch(-3, -3), {2, 1}}});
}

TEST_CASE("long and narrow") {
    Random random(65);
    const Sequence longest = random_protein(random, 9000);
    const Sequence part(longest.begin() + 4000, longest.begin() + 4030);
    check_all_lines({"wide", part, longest, blosum62()});
    check_all_lines({"tall", longest, part, blosum62()});
}

TEST_CASE("local, thousands of rows for each thread: within bytes, with gaps from lane to lane, and beyond bytes") {
    Random random(71);
    const SubstitutionMatrix matrix = match_mismatch(2, -3);
    const Sequence query = random_letters(random, 13'001, 4), other = random_letters(random, 300, 4);
    // The target has three pieces of the query, far from each other there.
    Sequence pieces;
    for (const std::ptrdiff_t from : {100, 4'100, 9'000})
        pieces.insert(pieces.end(), query.begin() + from, query.begin() + from + 20);
    const Sequence relative(query.begin() + 5'000, query.begin() + 5'300);
    // Scores exceed bytes in the middle of the columns, in the rows of the first, second or third
    // thread.
    const auto amid = [&](std::ptrdiff_t from) {
        Sequence target = random_letters(random, 400, 4);
        target.insert(target.end(), query.begin() + from, query.begin() + from + 200);
        for (const ResidueCode code : random_letters(random, 350, 4)) target.push_back(code);
        return target;
    };
    const Sequence first = amid(2'000), second = amid(6'000), third = amid(12'500);
    const auto threads = fewer<std::vector<unsigned>>({1, 2, 3}, {3});
    check_case({"random", query, other, {matrix, {5, 2}}}, Lines::kLocal, threads);
    check_case({"gaps of no length's cost", query, pieces, {matrix, {3, 0}}}, Lines::kLocal, threads);
    check_case({"beyond bytes", query, relative, {matrix, {5, 2}}}, Lines::kLocal, threads);
    check_case({"beyond bytes, first rows", query, first, {matrix, {5, 2}}}, Lines::kLocal, threads);
    check_case({"beyond bytes, rows in the middle", query, second, {matrix, {5, 2}}}, Lines::kLocal, threads);
    check_case({"beyond bytes, last rows", query, third, {matrix, {5, 2}}}, Lines::kLocal, threads);
    check_case({"proteins",
                random_letters(random, 5'000, 20),
                random_letters(random, 300, 20),
                {builtin_matrix("BLOSUM62").value(), {11, 1}}},
               Lines::kLocal, threads);
}

TEST_CASE("scores beyond 16 bits, up and down") {
    Random random(66);
    const Sequence query = random_protein(random, 1500);
    const Case related{"up", query, mutated(random, query, 0.9), {match_mismatch(127, -20), {11, 1}}};
    check_all_lines(related);
    const Case unrelated{"down", query, random_protein(random, 1400), {match_mismatch(1, -127), {100, 100}}};
    check_all_lines(unrelated);

    // The table has scores outside of 16 bits.
    ThreadPool pool(1);
    const auto last_raw = [&pool](const Case& c) {
        const auto top = line_at_begin(c.target.size(), c.scheme.gaps, false),
                   left = line_at_begin(c.query.size(), c.scheme.gaps, false);
        const auto sweeper = make_cpu_pair_sweeper(runnable_cpu_backends().back(), {c.scheme, false}, pool);
        return swept(*sweeper, {c.query, c.target, top, left, c.query.size(), c.target.size()})
            .row_checkpoints[0]
            .back()
            .h;
    };
    CHECK(last_raw(related) > 100'000);
    CHECK(last_raw(unrelated) < -40'000);
}

TEST_CASE("local scores at the limits of 8 and of 16 bits, and back below them" *
          doctest::test_suite(kLaterUnderSanitizers)) {
    // The pair is a run of matches of 5 that ends at every score around the limits, then mismatches
    // that lower the scores again.
    const ScoringScheme scheme{match_mismatch(5, -4), {9, 1}};
    for (const std::size_t matches : {42u, 43u, 44u, 45u, 46u, 47u, 48u, 49u, 50u, 51u, 6551u, 6552u, 6553u, 6554u}) {
        Sequence query(matches, 2), target(matches, 2);
        query.insert(query.end(), 300, 0);
        target.insert(target.end(), 700, 1);
        if (matches < 100) {
            check_case({"limit " + std::to_string(matches), query, target, scheme}, Lines::kLocal);
            continue;
        }
        // Long ones are swept once, without the many grids.
        const auto top = line_at_begin(target.size(), scheme.gaps, true),
                   left = line_at_begin(query.size(), scheme.gaps, true);
        const PairScoring scoring{scheme, true};
        ThreadPool pool(2);
        SweepTask task{query, target, top, left, 3000, 2500};
        task.reached_raw = SweepTask::kNoPruning;
        const GridContent expected = swept(*make_reference_pair_sweeper(scoring), task);
        CHECK(expected.maxima_raw.back() > 32'000);
        for (const CpuBackend backend : runnable_cpu_backends()) {
            if (backend == CpuBackend::kReference) continue;
            CAPTURE(std::string(cpu_backend_name(backend)));
            CAPTURE(matches);
            REQUIRE(difference(expected, swept(*make_cpu_pair_sweeper(backend, scoring, pool), task)) == "");
        }
    }
}

TEST_CASE("lines that no matrix has are swept as they are") {
    Random random(71);
    const ScoringScheme scheme{match_mismatch(2, -3), {5, 2}};
    const Sequence query = random_letters(random, 150, 4), target = random_letters(random, 170, 4);
    auto top = line_at_begin(target.size(), scheme.gaps, false), left = line_at_begin(query.size(), scheme.gaps, false);
    for (std::size_t j = 1; j < top.size(); ++j) top[j].h = -static_cast<std::int32_t>(random.below(1'000'000));
    for (std::size_t i = 1; i < left.size(); ++i) left[i].gap -= static_cast<std::int32_t>(random.below(1000));
    const PairScoring scoring{scheme, false};
    ThreadPool pool(1);
    SweepTask task{query, target, top, left, 50, 60};
    task.reached_raw = SweepTask::kNoPruning;
    const GridContent expected = swept(*make_reference_pair_sweeper(scoring), task);
    for (const CpuBackend backend : runnable_cpu_backends()) {
        CAPTURE(std::string(cpu_backend_name(backend)));
        REQUIRE(difference(expected, swept(*make_cpu_pair_sweeper(backend, scoring, pool), task)) == "");
    }
}

TEST_CASE("a matrix large enough for all threads") {
    Random random(67);
    const Sequence query = random_letters(random, 3000, 4);
    const Case c{"large", query, mutated(random, query, 0.9, 0.005), {match_mismatch(2, -3), {5, 2}}};
    const auto threads = fewer<std::vector<unsigned>>({1, 3}, {3});
    check_case(c, Lines::kGlobal, threads);
    check_case(c, Lines::kLocal, threads);
}

TEST_CASE("many tasks at once give each its own grid") {
    Random random(68);
    const ScoringScheme scheme = blosum62();
    for (const bool local : {false, true}) {
        const PairScoring scoring{scheme, local};
        std::vector<Sequence> queries, targets;
        std::vector<std::vector<BorderCell>> tops, lefts;
        for (int k = 0; k < 60; ++k) {
            queries.push_back(random_protein(random, 1 + random.below(300)));
            targets.push_back(k % 2 == 0 ? random_protein(random, 1 + random.below(300)) : queries.back());
            tops.push_back(line_at_begin(targets.back().size(), scheme.gaps, local));
            lefts.push_back(line_at_begin(queries.back().size(), scheme.gaps, local));
        }
        ThreadPool pool(2);
        const auto reference = make_reference_pair_sweeper(scoring);
        for (const CpuBackend backend : runnable_cpu_backends()) {
            CAPTURE(std::string(cpu_backend_name(backend)));
            const auto sweeper = make_cpu_pair_sweeper(backend, scoring, pool);
            std::vector<SweepTask> tasks;
            std::uint64_t cells = 0;
            for (std::size_t k = 0; k < queries.size(); ++k) {
                tasks.push_back({queries[k], targets[k], tops[k], lefts[k],
                                 in_granules(100, *sweeper, queries[k].size(), targets[k].size()), 70});
                tasks.back().reached_raw = SweepTask::kNoPruning;
                cells += queries[k].size() * targets[k].size();
            }
            std::uint64_t reported_cells = 0;
            SweepControl control;
            control.progress = [&reported_cells](std::uint64_t done) { reported_cells += done; };
            auto grids = sweeper->sweep(tasks, control);
            REQUIRE(grids.ok());
            REQUIRE(grids->size() == tasks.size());
            CHECK(reported_cells == cells);
            for (std::size_t k = 0; k < tasks.size(); ++k) {
                REQUIRE(difference(swept(*reference, tasks[k]), content_of(*(*grids)[k])) == "");
            }
        }
    }
}

TEST_CASE("pruning keeps the score and the maximum of every block that has it") {
    Random random(69);
    const ScoringScheme scheme{match_mismatch(1, -2), {2, 1}};
    const Sequence query = random_letters(random, 3000, 4);
    const Sequence target = mutated(random, query, 0.97, 0.002);
    const auto top = line_at_begin(target.size(), scheme.gaps, true),
               left = line_at_begin(query.size(), scheme.gaps, true);
    const PairScoring scoring{scheme, true};
    const auto reference = make_reference_pair_sweeper(scoring);
    ThreadPool pool(2);
    for (const CpuBackend backend : runnable_cpu_backends()) {
        CAPTURE(std::string(cpu_backend_name(backend)));
        const auto sweeper = make_cpu_pair_sweeper(backend, scoring, pool);
        SweepTask task{query, target, top, left, in_granules(256, *sweeper, query.size(), target.size()), 256};
        const GridContent exact = swept(*reference, task);
        const std::int32_t score_raw = *std::max_element(exact.maxima_raw.begin(), exact.maxima_raw.end());
        for (const std::int32_t reached_raw : {0, score_raw / 2, score_raw}) {
            task.reached_raw = reached_raw;
            const GridContent pruned = swept(*sweeper, task);
            REQUIRE(pruned.maxima_raw.size() == exact.maxima_raw.size());
            std::size_t wrong = 0;
            for (std::size_t k = 0; k < exact.maxima_raw.size(); ++k) {
                wrong += pruned.maxima_raw[k] > exact.maxima_raw[k];
                wrong += exact.maxima_raw[k] == score_raw && pruned.maxima_raw[k] != score_raw;
            }
            for (std::size_t index = 0; index < exact.row_checkpoints.size(); ++index) {
                for (std::size_t k = 0; k <= target.size(); ++k) {
                    const std::int32_t h = pruned.row_checkpoints[index][k].h;
                    wrong += h > exact.row_checkpoints[index][k].h || h < 0;
                }
            }
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("control: progress adds up, rows of blocks come in order, a raised flag or an error ends the sweep") {
    Random random(70);
    const ScoringScheme scheme = blosum62();
    const Sequence query = random_protein(random, 2000), target = random_protein(random, 1500);
    const auto top = line_at_begin(target.size(), scheme.gaps, false),
               left = line_at_begin(query.size(), scheme.gaps, false);
    const PairScoring scoring{scheme, false};
    ThreadPool pool(2);
    const auto reference = make_reference_pair_sweeper(scoring);
    for (const CpuBackend backend : runnable_cpu_backends()) {
        CAPTURE(std::string(cpu_backend_name(backend)));
        const auto sweeper = make_cpu_pair_sweeper(backend, scoring, pool);
        const SweepTask task{query, target, top, left, in_granules(256, *sweeper, query.size(), target.size()), 300};
        const GridContent expected = swept(*reference, task);
        std::uint64_t cells = 0, rows_of_blocks = 0;
        SweepControl control;
        control.progress = [&cells](std::uint64_t done) { cells += done; };
        control.rows_done = [&](const PairGrid& grid, std::uint64_t row_blocks) {
            CHECK(row_blocks > rows_of_blocks);
            rows_of_blocks = row_blocks;
            std::vector<BorderCell> line(grid.columns() + 1);
            const Status status = grid.read_row_checkpoint(row_blocks - 1, 0, line);
            line[0].gap = 0;
            CHECK(line == expected.row_checkpoints[row_blocks - 1]);
            return status;
        };
        auto grids = sweeper->sweep({&task, 1}, control);
        REQUIRE(grids.ok());
        CHECK(cells == query.size() * target.size());
        CHECK(rows_of_blocks == (*grids)[0]->row_blocks());

        control.rows_done = [](const PairGrid&, std::uint64_t) { return Status::io("the disk is full"); };
        CHECK(sweeper->sweep({&task, 1}, control).status().message() == "the disk is full");

        std::stop_source stop;
        stop.request_stop();
        SweepControl stopping;
        stopping.stop = stop.get_token();
        CHECK(sweeper->sweep({&task, 1}, stopping).status().code() == StatusCode::kInterrupted);
        // The sweeper can be used again.
        CHECK(difference(expected, swept(*sweeper, task)) == "");
    }
}

TEST_CASE("lines as matrices have them, and others") {
    const ScoringScheme scheme = blosum62(5, 2);
    const auto regular = [&](const std::vector<BorderCell>& line) { return steps_of(line, scheme).regular; };
    std::vector<BorderCell> line = line_at_begin(999, scheme.gaps, false);
    CHECK(regular(line));
    CHECK(steps_of(line, scheme).highest == -2);
    const auto change = [&](std::size_t at, std::int32_t h) {
        line[at].h += h;
        line[at].gap += h;
        const bool kept = regular(line);
        line[at].h -= h;
        line[at].gap -= h;
        return kept;
    };
    CHECK(change(700, 5));
    CHECK(!change(700, -1));
    CHECK(!change(700, 1'000'000));  // rises and falls
    line[700].gap = line[700].h - 2;
    CHECK(regular(line));
    ++line[700].gap;
    CHECK(!regular(line));
    line = line_at_begin(999, scheme.gaps, true);
    const int highest = scheme.matrix.highest_raw();
    for (std::size_t k = 0; k < line.size(); ++k)
        line[k].h += static_cast<std::int32_t>(k) * (highest + 2) + (k > 0 ? 5 : 0);
    for (BorderCell& cell : line) cell.gap = cell.h - 7;
    CHECK(regular(line));
    CHECK(steps_of(line, scheme).highest == highest + 7);
    ++line[500].h;
    ++line[500].gap;
    CHECK(!regular(line));
    for (const bool free : {false, true}) {
        for (const std::uint64_t residues : {0u, 1u, 2u, 40u}) {
            const PairLine begun = PairLine::beginning(residues, scheme.gaps, free);
            const std::vector<BorderCell> given = line_at_begin(residues, scheme.gaps, free);
            std::vector<BorderCell> copied(given.size());
            begun.copy(0, copied);
            CHECK(copied == given);
            CHECK(!begun.is_given());
            CHECK(steps_of(begun, scheme).regular);
            CHECK(steps_of(begun, scheme).highest == steps_of(given, scheme).highest);
            for (std::uint64_t first = 0; first <= residues; ++first) {
                const PairLine part = begun.subspan(first), same = PairLine(given).subspan(first);
                REQUIRE(part.size() == same.size());
                CHECK(part[part.size() - 1] == same[same.size() - 1]);
                CHECK(part[0] == same[0]);
                CHECK(steps_of(part, scheme).highest == steps_of(same, scheme).highest);
            }
        }
    }
}

TEST_CASE("lines that no matrix has") {
    Random random(77);
    const ScoringScheme scheme = blosum62();
    ThreadPool pool(1);
    const Sequence query = random_letters(random, 300, 20), target = random_letters(random, 250, 20);
    for (const bool local : {false, true}) {
        const PairScoring scoring{scheme, local};
        const auto reference = make_reference_pair_sweeper(scoring);
        for (const std::int32_t slope : {40, 1000, 100'000}) {
            std::vector<BorderCell> top(target.size() + 1), left(query.size() + 1);
            for (std::size_t j = 0; j < top.size(); ++j) top[j].h = slope * static_cast<std::int32_t>(j);
            for (std::size_t i = 0; i < left.size(); ++i) left[i].h = slope * static_cast<std::int32_t>(i);
            for (std::vector<BorderCell>* line : {&top, &left}) {
                for (BorderCell& cell : *line) cell.gap = cell.h - 12;
            }
            SweepTask task{query, target, top, left, query.size(), 100};
            task.reached_raw = SweepTask::kNoPruning;
            const GridContent expected = swept(*reference, task);
            for (const CpuBackend backend : runnable_cpu_backends()) {
                CAPTURE(std::string(cpu_backend_name(backend)));
                CHECK(difference(expected, swept(*make_cpu_pair_sweeper(backend, scoring, pool), task)) == "");
            }
        }
    }
}
