// Paths through one block, on every back end, against those of the whole matrix.
#include "kernels/pair/pair_trace.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/pair/pair_directions_simd.h"
#include "kernels/pair/pair_sweep_reference.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/naive_pair.h"
#include "tests/support/random_proteins.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

std::vector<BorderCell> line_at_begin(std::size_t residues, const GapCosts& gaps, bool free) {
    std::vector<BorderCell> line(residues + 1);
    for (std::size_t k = 0; k <= residues; ++k) {
        line[k].h = free || k == 0 ? 0 : -gaps.open - static_cast<std::int32_t>(k) * gaps.extend;
        line[k].gap = line[k].h - gaps.first();
    }
    return line;
}

struct Matrix {
    const Sequence& query;
    const Sequence& target;
    const ScoringScheme& scheme;
    bool local;
    std::vector<BorderCell> top = line_at_begin(target.size(), scheme.gaps, local);
    std::vector<BorderCell> left = line_at_begin(query.size(), scheme.gaps, local);
};

// Checks the bits of each cell that the walk may ask for, in the order in which it asks.
void check_directions(const Matrix& matrix, CpuBackend backend) {
    const std::size_t m = matrix.query.size(), n = matrix.target.size();
    const PairScoring scoring{matrix.scheme, matrix.local};
    const auto filler = make_pair_direction_filler(backend, scoring);
    const PairDirections directions = filler->fill({matrix.query, matrix.target, matrix.top, matrix.left});
    // The grid has a checkpoint for each residue. So H of every cell is known, and the gaps that
    // leave it.
    const auto sweeper = make_reference_pair_sweeper(scoring);
    SweepTask task{matrix.query, matrix.target, matrix.top, matrix.left, 1, 1};
    task.reached_raw = SweepTask::kNoPruning;
    auto grids = sweeper->sweep({&task, 1}, {});
    REQUIRE(grids.ok());
    const PairGrid& grid = *(*grids)[0];
    const std::int32_t first = matrix.scheme.gaps.first();
    std::size_t wrong_cells = 0;
    std::vector<BorderCell> above = matrix.top, row(n + 1);
    std::vector<std::vector<BorderCell>> columns(n, std::vector<BorderCell>(m + 1));
    for (std::size_t j = 0; j < n; ++j) REQUIRE(grid.read_column_checkpoint(j, 0, columns[j]).ok());
    for (std::size_t i = 1; i <= m; ++i) {
        REQUIRE(grid.read_row_checkpoint(i - 1, 0, row).ok());
        for (std::size_t j = 1; j <= n; ++j) {
            const std::uint8_t bits = directions.at(i, j);
            const auto differs = [bits](PairDirections::Bits bit, bool expected) {
                return ((bits & bit) != 0) != expected;
            };
            const std::int32_t h = row[j].h;
            const bool zero = matrix.local && h == 0;
            const bool diagonal =
                h == above[j - 1].h + matrix.scheme.matrix.score_raw(matrix.query[i - 1], matrix.target[j - 1]);
            wrong_cells += differs(PairDirections::kZero, zero) ||
                           (!zero && differs(PairDirections::kDiagonal, diagonal)) ||
                           (!zero && !diagonal && differs(PairDirections::kIsF, h == above[j].gap)) ||
                           differs(PairDirections::kOpensF, row[j].gap == h - first) ||
                           differs(PairDirections::kOpensE, columns[j - 1][i].gap == h - first);
        }
        above = row;
    }
    REQUIRE(wrong_cells == 0);
}

// Compares the path from the end of the whole matrix, as one block, with the naive path.
void check_trace(const Matrix& matrix, CpuBackend backend) {
    const Alignment expected = naive_pair_alignment({matrix.query, matrix.target, matrix.local, {}}, matrix.scheme);
    if (expected.query_end == 0 || expected.target_end == 0) return;
    PairTracer tracer(backend, {matrix.scheme, matrix.local});
    std::vector<AlignmentRun> runs;
    const TraceEnd end = tracer.trace({matrix.query, matrix.target, matrix.top, matrix.left},
                                      {expected.query_end, expected.target_end, PairTraceState::kH}, runs);
    CHECK(end.at.state == PairTraceState::kH);
    CHECK(end.begins == matrix.local);
    if (!matrix.local) {
        // The rest is a gap.
        CHECK((end.at.row == 0 || end.at.column == 0));
        if (end.at.row > 0) runs.push_back({AlignmentOperation::kInsert, end.at.row});
        if (end.at.column > 0) runs.push_back({AlignmentOperation::kDelete, end.at.column});
    } else {
        CHECK(end.at.row == expected.query_begin);
        CHECK(end.at.column == expected.target_begin);
    }
    std::reverse(runs.begin(), runs.end());
    CHECK(runs == expected.runs);
}

}  // namespace

TEST_CASE("directions and paths of whole matrices") {
    Random random(81);
    std::vector<std::size_t> sizes{1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 130, 256};
    const SubstitutionMatrix blosum62 = builtin_matrix("BLOSUM62").value();
    const std::vector<ScoringScheme> schemes{{blosum62, {11, 1}},
                                             {blosum62, {0, 2}},
                                             {blosum62, {3, 0}},
                                             {match_mismatch(1, 0), {0, 0}},
                                             {match_mismatch(127, -127), {1'000'000, 1}},
                                             {match_mismatch(1, -1), {1, 1}}};
    for (const std::size_t m : sizes) {
        const Sequence query = random_protein(random, m);
        Sequence relative = mutated(random, query, 0.8, 0.05);
        if (relative.empty()) relative = query;
        const Sequence other = random_codes(random, sizes[random.below(sizes.size())]);
        for (const Sequence& target : {relative, other}) {
            for (const ScoringScheme& scheme : schemes) {
                for (const bool local : {false, true}) {
                    const Matrix matrix{query, target, scheme, local};
                    CAPTURE(m);
                    CAPTURE(target.size());
                    CAPTURE(scheme.gaps.open);
                    CAPTURE(local);
                    for (const CpuBackend backend : runnable_cpu_backends()) {
                        CAPTURE(std::string(cpu_backend_name(backend)));
                        check_directions(matrix, backend);
                        check_trace(matrix, backend);
                    }
                }
            }
        }
    }
}

TEST_CASE("directions of a block whose scores are far from zero") {
    Random random(82);
    const Sequence query = random_protein(random, 200);
    const Sequence target = mutated(random, query, 0.8);
    for (const ScoringScheme& scheme :
         {ScoringScheme{match_mismatch(127, -100), {200, 50}}, ScoringScheme{match_mismatch(3, -2), {4, 1}}}) {
        for (const std::int32_t offset_raw : {-2'000'000'000, -33'000, 33'000, 2'000'000'000}) {
            for (const bool local : {false, true}) {
                if (local && offset_raw < 0) continue;
                CAPTURE(offset_raw);
                CAPTURE(local);
                Matrix matrix{query, target, scheme, local};
                matrix.top = line_at_begin(target.size(), scheme.gaps, false);
                matrix.left = line_at_begin(query.size(), scheme.gaps, false);
                for (auto* line : {&matrix.top, &matrix.left}) {
                    for (BorderCell& cell : *line) cell = {cell.h + offset_raw, cell.gap + offset_raw};
                }
                for (const CpuBackend backend : runnable_cpu_backends()) {
                    CAPTURE(std::string(cpu_backend_name(backend)));
                    check_directions(matrix, backend);
                }
            }
        }
    }
}

TEST_CASE("a gap that goes on beyond the block is handed on as such") {
    // Two target residues more than the query, and the block holds the query's last residue alone:
    // the path comes back along the gap to column 0 in state E.
    const ScoringScheme scheme{match_mismatch(5, -4), {6, 1}};
    const Sequence query{1}, target{2, 2};
    const std::vector<BorderCell> top(3, {0, -100});
    const std::vector<BorderCell> left{{0, 0}, {20, 19}};  // E goes on from before column 0: 19, above 20 - 7
    for (const CpuBackend backend : runnable_cpu_backends()) {
        PairTracer tracer(backend, {scheme, false});
        std::vector<AlignmentRun> runs{{AlignmentOperation::kDelete, 3}};
        const TraceEnd end = tracer.trace({query, target, top, left}, {1, 2, PairTraceState::kH}, runs);
        CHECK(end.at == TracePoint{1, 0, PairTraceState::kE});
        CHECK(!end.begins);
        CHECK(runs == std::vector<AlignmentRun>{{AlignmentOperation::kDelete, 5}});  // joined to the run that was there
        // Entered in state F from below, it goes straight up and opens at row 0.
        const std::vector<BorderCell> opened(3, {0, -7});
        const TraceEnd up = tracer.trace({query, target, opened, left}, {1, 2, PairTraceState::kF}, runs);
        CHECK(up.at == TracePoint{0, 2, PairTraceState::kH});
    }
}
