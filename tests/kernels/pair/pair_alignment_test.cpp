// Alignments of pairs against the whole matrix in memory, by every back end, with little and much
// memory for checkpoints.
#include "kernels/pair/pair_alignment.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "kernels/smith_waterman/local_alignment.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/naive_pair.h"
#include "tests/support/random_proteins.h"
#include "tests/support/under_sanitizers.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

// Larger matrices are not left to the reference, which is as slow as the naive computation.
constexpr std::size_t kLargeMatrix = 100'000;
constexpr std::uint64_t kNoMemory = 1, kMuchMemory = std::uint64_t{1} << 30;

struct Mode {
    bool local;
    FreeEnds free_ends;
};

// The modes: global, local, and semi-global with every choice of ends.
std::vector<Mode> all_modes() {
    std::vector<Mode> modes{{true, {}}};
    for (int ends = 0; ends < 16; ++ends) {
        modes.push_back({false, {(ends & 1) != 0, (ends & 2) != 0, (ends & 4) != 0, (ends & 8) != 0}});
    }
    return modes;
}

const std::vector<Mode> kMainModes{{true, {}}, {false, {true, true, true, true}}, {false, {}}};

Alignment align(const PairProblem& problem, const ScoringScheme& scheme, CpuBackend backend, const PairLimits& limits) {
    static const ThreadPool pool(2);
    const auto sweeper = make_cpu_pair_sweeper(backend, {scheme, problem.local}, pool);
    Result<Alignment> alignment = align_pair(problem, scheme, limits, *sweeper, backend, {});
    REQUIRE(alignment.ok());
    return *std::move(alignment);
}

// Compares align_pair() with the naive computation in `modes`. Returns the alignment of the last
// mode.
Alignment check_pair(std::span<const ResidueCode> query, std::span<const ResidueCode> target,
                     const ScoringScheme& scheme, const std::vector<Mode>& modes) {
    Alignment expected;
    for (const Mode& mode : modes) {
        const PairProblem problem{query, target, mode.local, mode.free_ends};
        CAPTURE(mode.local);
        CAPTURE(mode.free_ends.query_begin);
        CAPTURE(mode.free_ends.query_end);
        CAPTURE(mode.free_ends.target_begin);
        CAPTURE(mode.free_ends.target_end);
        expected = naive_pair_alignment(problem, scheme);
        REQUIRE(rescore(expected, query, target, scheme) == expected.score_raw);
        if (mode.local)
            REQUIRE(to_text(align_local(runnable_cpu_backends().back(), query, target, pair_scores(scheme))) ==
                    to_text(expected));
        for (const CpuBackend backend : runnable_cpu_backends()) {
            if (backend == CpuBackend::kReference && query.size() * target.size() > kLargeMatrix) continue;
            CAPTURE(std::string(cpu_backend_name(backend)));
            for (const std::uint64_t bytes : {kNoMemory, kMuchMemory}) {
                CAPTURE(bytes);
                REQUIRE(to_text(align(problem, scheme, backend, {bytes})) == to_text(expected));
            }
            PairLimits unswept;
            unswept.most_cells_unswept = query.size() * target.size();
            REQUIRE(to_text(align(problem, scheme, backend, unswept)) == to_text(expected));
            PairLimits score_only = unswept;
            score_only.score_only = true;
            REQUIRE(align(problem, scheme, backend, score_only) == Alignment{expected.score_raw, 0, 0, 0, 0, {}});
        }
    }
    return expected;
}

ScoringScheme blosum62(int open = 11, int extend = 1) { return {builtin_matrix("BLOSUM62").value(), {open, extend}}; }

// Returns residues of the first `letters` codes.
Sequence random_letters(Random& random, std::size_t residues, std::uint64_t letters) {
    Sequence sequence(residues);
    for (ResidueCode& code : sequence) code = static_cast<ResidueCode>(random.below(letters));
    return sequence;
}

}  // namespace

TEST_CASE("pairs by hand") {
    const auto global = [](std::string_view query, std::string_view target, const ScoringScheme& scheme) {
        return to_text(check_pair(encode_residues(query), encode_residues(target), scheme, {{false, {}}}));
    };
    CHECK(global("ACDE", "ACDE", blosum62()) == "24 query 0-4 target 0-4 4M");
    CHECK(global("WWWWCCWWWW", "WWWWWWWW", blosum62(5, 1)) == "81 query 0-10 target 0-8 4M2I4M");
    CHECK(global("WWWWWWWW", "WWWWCCWWWW", blosum62(5, 1)) == "81 query 0-8 target 0-10 4M2D4M");
    CHECK(global("A", "W", blosum62()) == "-3 query 0-1 target 0-1 1M");
    CHECK(global("", "WW", blosum62()) == "-13 query 0-0 target 0-2 2D");
    CHECK(global("WWW", "", blosum62()) == "-14 query 0-3 target 0-0 3I");
    CHECK(global("", "", blosum62()) == "0 query 0-0 target 0-0 ");
}

TEST_CASE("empty sequences in every mode") {
    for (const auto& [m, n] :
         std::vector<std::pair<std::size_t, std::size_t>>{{0, 0}, {0, 1}, {1, 0}, {0, 5}, {7, 0}}) {
        check_pair(Sequence(m, 3), Sequence(n, 3), blosum62(), all_modes());
    }
}

TEST_CASE("random pairs with many ties in every mode") {
    Random random(51);
    std::size_t with_gaps = 0;
    constexpr std::size_t kRounds = fewer(150, 20);
    for (std::size_t round = 0; round < kRounds; ++round) {
        const Sequence query = random_letters(random, 1 + random.below(70), 2 + random.below(2));
        const Sequence target = round % 2 == 0 ? mutated(random, query, 0.8, 0.1)
                                               : random_letters(random, 1 + random.below(70), 2 + random.below(2));
        const ScoringScheme scheme{
            match_mismatch(1 + static_cast<int>(random.below(3)), -static_cast<int>(random.below(4))),
            {static_cast<int>(random.below(4)), static_cast<int>(random.below(3))}};
        with_gaps += check_pair(query, target.empty() ? query : target, scheme, all_modes()).runs.size() > 2;
    }
    CHECK(with_gaps > kRounds / 3);
}

// From here on matrices are larger than what is traced at once. So there are grids, and grids
// within their blocks.

TEST_CASE("two and more levels of blocks" * doctest::test_suite(kLaterUnderSanitizers)) {
    Random random(52);
    for (const auto& scheme : {blosum62(), blosum62(5, 0), blosum62(0, 2), ScoringScheme{match_mismatch(2, -3), {5, 2}},
                               ScoringScheme{match_mismatch(1, -1), {0, 1}}}) {
        const Sequence query = random_protein(random, 900);
        const Sequence relative = mutated(random, query, 0.7);
        Sequence target = random_protein(random, 200);
        target.insert(target.end(), relative.begin(), relative.end());
        CHECK(check_pair(query, target, scheme, kMainModes).runs.size() > 10);
        check_pair(target, query, scheme, kMainModes);
        check_pair(query, random_protein(random, 700), scheme, kMainModes);
    }
}

TEST_CASE("long and narrow matrices" * doctest::test_suite(kLaterUnderSanitizers)) {
    Random random(53);
    const Sequence longest = random_protein(random, 30'000);
    const Sequence part(longest.begin() + 11'111, longest.begin() + 11'161);
    check_pair(part, longest, blosum62(), kMainModes);
    check_pair(longest, part, blosum62(), kMainModes);
    check_pair(longest, Sequence{5}, blosum62(1, 0), kMainModes);
    check_pair(Sequence{5}, longest, blosum62(1, 0), kMainModes);
}

TEST_CASE("repeats, in which nearly every cell ties") {
    Random random(54);
    const ScoringScheme dna{match_mismatch(1, -1), {1, 1}};
    const Sequence poly_a(1300, 0), shorter(900, 0);
    check_pair(poly_a, shorter, dna, kMainModes);
    check_pair(shorter, poly_a, dna, kMainModes);
    check_pair(poly_a, poly_a, dna, kMainModes);
    // The same best alignment is in many places. One word is between other letters, over and over.
    const Sequence word = random_letters(random, 20, 4);
    Sequence often(10, 5);
    while (often.size() < 1500) {
        often.insert(often.end(), word.begin(), word.end());
        often.resize(often.size() + 10 + random.below(5), 5);
    }
    Sequence once(600, 6);
    std::copy(word.begin(), word.end(), once.begin() + 300);
    const ScoringScheme strict{match_mismatch(1, -20), {20, 20}};
    CHECK(check_pair(once, often, strict, {{true, {}}}).target_end == 30);
    CHECK(check_pair(often, once, strict, {{true, {}}}).query_end == 30);
    check_pair(random_letters(random, 1200, 2), random_letters(random, 1100, 2), {match_mismatch(1, 0), {0, 0}},
               kMainModes);
}

TEST_CASE("gaps longer than blocks, on row and column checkpoints") {
    Random random(55);
    const Sequence left = random_protein(random, 400), right = random_protein(random, 500);
    const Sequence between = random_protein(random, 1500);
    Sequence joined = left, apart = left;
    joined.insert(joined.end(), right.begin(), right.end());
    apart.insert(apart.end(), between.begin(), between.end());
    apart.insert(apart.end(), right.begin(), right.end());
    const auto longest_run = [](const Alignment& alignment, AlignmentOperation operation) {
        std::uint64_t longest = 0;
        for (const AlignmentRun& run : alignment.runs) {
            if (run.operation == operation) longest = std::max(longest, run.length);
        }
        return longest;
    };
    CHECK(longest_run(check_pair(joined, apart, blosum62(11, 0), kMainModes), AlignmentOperation::kDelete) >= 1400);
    CHECK(longest_run(check_pair(apart, joined, blosum62(11, 0), kMainModes), AlignmentOperation::kInsert) >= 1400);
}

TEST_CASE("scores beyond 16 bits, up and down") {
    Random random(56);
    const ScoringScheme high{match_mismatch(127, -20), {11, 1}};
    const Sequence query = random_protein(random, 1100);
    CHECK(check_pair(query, mutated(random, query, 0.9), high, kMainModes).score_raw > 70'000);
    const ScoringScheme dear{match_mismatch(1, -127), {1'000'000, 1000}};
    CHECK(check_pair(query, random_protein(random, 700), dear, {{false, {}}}).score_raw < -1'000'000);
}

TEST_CASE("a long related pair: the same path whatever the memory, and by blocks of the sweeper's own") {
    Random random(57);
    const Sequence query = random_letters(random, 9000, 4);
    const Sequence target = mutated(random, query, 0.85, 0.005);
    const ScoringScheme scheme{match_mismatch(5, -4), {10, 1}};
    const CpuBackend backend = runnable_cpu_backends().back();
    for (const Mode& mode : kMainModes) {
        const PairProblem problem{query, target, mode.local, mode.free_ends};
        const Alignment expected = align(problem, scheme, backend, {kMuchMemory});
        CHECK(rescore(expected, query, target, scheme) == expected.score_raw);
        CHECK(expected.runs.size() > 50);
        if (mode.local)
            CHECK(expected == align_local(runnable_cpu_backends().back(), query, target, pair_scores(scheme)));
        for (const std::uint64_t bytes : {kNoMemory, std::uint64_t{600'000}, std::uint64_t{3'000'000}}) {
            for (const std::uint64_t least_sweeper_cells : {std::uint64_t{0}, std::uint64_t{1} << 40}) {
                PairLimits limits{bytes};
                limits.least_sweeper_cells = least_sweeper_cells;
                CHECK(align(problem, scheme, backend, limits) == expected);
            }
        }
    }
}

namespace {

// A sweeper that claims to fill many matrices in the time of one, as a GPU does.
class SideBySideSweeper final : public PairSweeper {
   public:
    SideBySideSweeper(std::unique_ptr<PairSweeper> inner, std::uint64_t side_by_side)
        : inner_(std::move(inner)), side_by_side_(side_by_side) {}

    std::uint64_t row_granule(std::uint64_t rows, std::uint64_t columns) const override {
        return inner_->row_granule(rows, columns);
    }
    std::uint64_t side_by_side(std::uint64_t, std::uint64_t) const override { return side_by_side_; }
    Result<std::vector<std::unique_ptr<PairGrid>>> sweep(std::span<const SweepTask> tasks,
                                                         const SweepControl& control) override {
        CHECK(tasks.size() <= side_by_side_);
        most_tasks = std::max(most_tasks, tasks.size());
        ++sweeps;
        return inner_->sweep(tasks, control);
    }
    std::size_t most_tasks = 0, sweeps = 0;

   private:
    std::unique_ptr<PairSweeper> inner_;
    std::uint64_t side_by_side_;
};

}  // namespace

TEST_CASE("blocks filled ahead of the path, guessed right and wrong") {
    Random random(58);
    const ScoringScheme scheme{match_mismatch(5, -4), {10, 1}};
    const Sequence query = random_letters(random, 8000, 4);
    Sequence straight = mutated(random, query, 0.9, 0.001);
    // Parts are left out and inserted. The path leaves its diagonal for a distant one.
    Sequence crooked(query.begin(), query.begin() + 2500);
    const Sequence added = random_letters(random, 2200, 4);
    crooked.insert(crooked.end(), added.begin(), added.end());
    crooked.insert(crooked.end(), query.begin() + 4500, query.end());
    const CpuBackend backend = runnable_cpu_backends().back();
    ThreadPool pool(2);
    for (const Sequence& target : {straight, crooked}) {
        for (const Mode& mode : kMainModes) {
            const PairProblem problem{query, target, mode.local, mode.free_ends};
            const Alignment expected = align(problem, scheme, backend, {kMuchMemory});
            std::size_t sweeps_alone = 0;
            for (const std::uint64_t side_by_side : {1u, 2u, 7u, 100u}) {
                CAPTURE(side_by_side);
                SideBySideSweeper sweeper(make_cpu_pair_sweeper(backend, {scheme, mode.local}, pool), side_by_side);
                PairLimits limits{side_by_side == 7 ? std::uint64_t{5'000'000} : kMuchMemory};
                limits.trace_threads = 3;
                const auto by_threads = align_pair(problem, scheme, limits, sweeper, backend, {});
                REQUIRE(by_threads.ok());
                CHECK(*by_threads == expected);
                limits.least_sweeper_cells = 0;
                sweeper.sweeps = 0;
                const auto alignment = align_pair(problem, scheme, limits, sweeper, backend, {});
                REQUIRE(alignment.ok());
                CHECK(*alignment == expected);
                if (side_by_side == 1) sweeps_alone = sweeper.sweeps;
                if (side_by_side == 100) {
                    CHECK(sweeper.most_tasks >= 8);
                    CHECK(sweeper.sweeps < sweeps_alone);
                }
            }
        }
    }
}

TEST_CASE("the score before the path, and how far back the path is") {
    Random random(75);
    const Sequence query = random_protein(random, 900), target = mutated(random, query, 0.6);
    const ScoringScheme scheme{builtin_matrix("BLOSUM62").value(), {11, 1}};
    ThreadPool pool(1);
    for (const Mode& mode : kMainModes) {
        const PairProblem problem{query, target, mode.local, mode.free_ends};
        const auto sweeper = make_cpu_pair_sweeper(CpuBackend::kPortable, {scheme, mode.local}, pool);
        const PairMatrix matrix(problem, scheme, {kMuchMemory}, *sweeper);
        REQUIRE(matrix.needs_sweep());
        auto grids = sweeper->sweep({&matrix.task(), 1}, {});
        REQUIRE(grids.ok());
        const auto score_raw = matrix.score_raw(*grids->front());
        REQUIRE(score_raw.ok());
        std::uint64_t residues = 0, calls = 0;
        SweepControl control;
        control.progress = [&](std::uint64_t passed) {
            residues += passed;
            ++calls;
        };
        const auto aligned = matrix.finish(std::move(grids->front()), *sweeper, CpuBackend::kPortable, control);
        REQUIRE(aligned.ok());
        CHECK(*score_raw == aligned->score_raw);
        CHECK(*score_raw > 1000);
        CHECK(residues == query.size() + target.size());
        CHECK(calls > 3);
    }
}

TEST_CASE("a local pair of few cells is aligned without a sweep") {
    Random random(76);
    const Sequence query = random_protein(random, 90), target = mutated(random, query, 0.6);
    const ScoringScheme scheme{builtin_matrix("BLOSUM62").value(), {11, 1}};
    ThreadPool pool(1);
    const auto sweeper = make_cpu_pair_sweeper(CpuBackend::kPortable, {scheme, true}, pool);
    PairLimits limits;
    limits.most_cells_unswept = query.size() * target.size();
    const auto needs_sweep = [&](const PairProblem& problem) {
        return PairMatrix(problem, scheme, limits, *sweeper).needs_sweep();
    };
    const PairProblem local{query, target, true, {}};
    CHECK_FALSE(needs_sweep(local));
    CHECK(needs_sweep({query, target, false, {true, true, true, true}}));
    const ForbiddenPairs nothing;
    CHECK(needs_sweep({query, target, true, {}, &nothing}));
    std::uint64_t residues = 0;
    SweepControl control;
    control.progress = [&](std::uint64_t passed) { residues += passed; };
    const PairMatrix matrix(local, scheme, limits, *sweeper);
    const auto aligned = matrix.finish(nullptr, *sweeper, CpuBackend::kPortable, control);
    REQUIRE(aligned.ok());
    CHECK(*aligned == naive_pair_alignment(local, scheme));
    CHECK(aligned->score_raw > 100);
    CHECK(residues == query.size() + target.size());
    std::stop_source stop;
    stop.request_stop();
    control.stop = stop.get_token();
    CHECK(matrix.finish(nullptr, *sweeper, CpuBackend::kPortable, control).status().code() == StatusCode::kInterrupted);
    --limits.most_cells_unswept;
    CHECK(needs_sweep(local));
    limits.most_cells_unswept += 1;
    limits.score_only = true;
    CHECK(needs_sweep(local));
}

TEST_CASE("a raised stop flag ends an alignment") {
    const Sequence query(2000, 1);
    const ScoringScheme scheme = blosum62();
    const PairProblem problem{query, query, false, {}};
    ThreadPool pool(1);
    const auto sweeper = make_cpu_pair_sweeper(CpuBackend::kReference, {scheme, false}, pool);
    std::stop_source stop;
    stop.request_stop();
    SweepControl control;
    control.stop = stop.get_token();
    CHECK(align_pair(problem, scheme, {}, *sweeper, CpuBackend::kReference, control).status().code() ==
          StatusCode::kInterrupted);
    // A stop also ends the steps after the sweep.
    const PairMatrix matrix(problem, scheme, {}, *sweeper);
    REQUIRE(matrix.needs_sweep());
    auto grids = sweeper->sweep({&matrix.task(), 1}, {});
    REQUIRE(grids.ok());
    CHECK(matrix.finish(std::move((*grids)[0]), *sweeper, CpuBackend::kReference, control).status().code() ==
          StatusCode::kInterrupted);
}

TEST_CASE("scores that 32 bits do not hold are refused") {
    const auto code = [](std::uint64_t rows, std::uint64_t columns, const PairScoring& scoring) {
        return check_pair_bounds(rows, columns, scoring).code();
    };
    const ScoringScheme scheme = blosum62(), dear = blosum62(0, 1'000'000);  // highest score 11
    CHECK(code(193'700'584, 1'000'000'000, {scheme, true}) == StatusCode::kOk);
    CHECK(code(193'700'585, 1'000'000'000, {scheme, true}) == StatusCode::kInvalidInput);
    CHECK(code(1'000'000'000, 193'700'585, {scheme, true}) == StatusCode::kInvalidInput);
    CHECK(code(1000, 1130, {dear, false}) == StatusCode::kOk);
    CHECK(code(1000, 1131, {dear, false}) == StatusCode::kInvalidInput);
    CHECK(code(1000, 1131, {dear, true}) == StatusCode::kOk);
    CHECK(code(std::uint64_t{1} << 63, std::uint64_t{1} << 63, {scheme, true}) == StatusCode::kInvalidInput);
}
