// Measures sweeps over one pair, and traceback directions of one block, in one thread with every
// back end that this processor runs. The counter `cells` is cells per second of processor time.
// bench/compare/parasail_pair.cpp compares it with parasail.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "kernels/pair/pair_directions_simd.h"
#include "kernels/pair/pair_sweep.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/random_proteins.h"

namespace warpseq {
namespace {

using testing::Sequence;

ScoringScheme blosum62() { return {builtin_matrix("BLOSUM62").value(), {11, 1}}; }

ScoringScheme nucleotides() {
    SubstitutionMatrix::Table table{};
    for (std::size_t q = 0; q < table.size(); ++q) {
        for (std::size_t t = 0; t < table.size(); ++t) table[q][t] = q == t ? 2 : -3;
    }
    return {SubstitutionMatrix("2/-3", table), {5, 2}};
}

Sequence random_letters(Random& random, std::size_t residues, std::uint64_t letters) {
    Sequence sequence(residues);
    for (ResidueCode& code : sequence) code = static_cast<ResidueCode>(random.below(letters));
    return sequence;
}

// Returns a copy with one residue in ten replaced.
Sequence relative(Random& random, Sequence sequence, std::uint64_t letters) {
    for (ResidueCode& code : sequence) {
        if (random.below(10) == 0) code = static_cast<ResidueCode>(random.below(letters));
    }
    return sequence;
}

std::vector<BorderCell> line_at_begin(std::size_t residues, const GapCosts& gaps, bool free) {
    std::vector<BorderCell> line(residues + 1);
    for (std::size_t k = 0; k <= residues; ++k) {
        line[k].h = free || k == 0 ? 0 : -gaps.open - static_cast<std::int32_t>(k) * gaps.extend;
        line[k].gap = line[k].h - gaps.first();
    }
    return line;
}

struct Input {
    ScoringScheme scheme;
    Sequence query, target;
    std::vector<BorderCell> line;
};

Input input_of(const benchmark::State& state, bool protein, bool local, bool related) {
    Random random(1);
    const auto residues = static_cast<std::size_t>(state.range(0));
    const std::uint64_t letters = protein ? 20 : 4;
    Input input{protein ? blosum62() : nucleotides(), random_letters(random, residues, letters), {}, {}};
    input.target = related ? relative(random, input.query, letters) : random_letters(random, residues, letters);
    input.line = line_at_begin(residues, input.scheme.gaps, local);
    return input;
}

void count_cells(benchmark::State& state, const Input& input) {
    state.counters["cells"] =
        benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(input.query.size()) *
                               static_cast<double>(input.target.size()),
                           benchmark::Counter::kIsRate);
}

void sweep(benchmark::State& state, CpuBackend backend, bool protein, bool local, bool related) {
    const Input input = input_of(state, protein, local, related);
    ThreadPool pool(1);
    const auto sweeper = make_cpu_pair_sweeper(backend, {input.scheme, local}, pool);
    // The grid has one block, or 16 x 16 if there is a second argument.
    const std::uint64_t step = static_cast<std::uint64_t>(state.range(0)) / static_cast<std::uint64_t>(state.range(1));
    SweepTask task{input.query, input.target, input.line, input.line, step, step};
    task.reached_raw = SweepTask::kNoPruning;
    for (auto _ : state) {
        auto grids = sweeper->sweep({&task, 1}, {});
        if (!grids.ok()) state.SkipWithError(grids.status().message().c_str());
        benchmark::DoNotOptimize(grids);
    }
    count_cells(state, input);
}

void directions(benchmark::State& state, CpuBackend backend, bool protein, bool local) {
    const Input input = input_of(state, protein, local, true);
    const auto filler = make_pair_direction_filler(backend, {input.scheme, local});
    for (auto _ : state) benchmark::DoNotOptimize(filler->fill({input.query, input.target, input.line, input.line}));
    count_cells(state, input);
}

const bool kRegistered = [] {
    for (const CpuBackend backend : runnable_cpu_backends()) {
        const std::string name(cpu_backend_name(backend));
        for (const bool protein : {false, true}) {
            for (const bool local : {false, true}) {
                const std::string what = std::string(protein ? "protein" : "dna") + (local ? "_local" : "_global");
                for (const bool related : {false, true}) {
                    auto* const bench = benchmark::RegisterBenchmark(
                        ("pair_sweep/" + name + "/" + what + (related ? "_related" : "")).c_str(),
                        [=](benchmark::State& state) { sweep(state, backend, protein, local, related); });
                    bench->Unit(benchmark::kMillisecond);
                    if (backend == CpuBackend::kReference) {
                        bench->Args({1000, 1});
                    } else {
                        bench->Args({256, 1})->Args({1000, 1})->Args({4000, 16})->Args({10000, 1});
                    }
                }
                benchmark::RegisterBenchmark(
                    ("pair_directions/" + name + "/" + what).c_str(),
                    [=](benchmark::State& state) { directions(state, backend, protein, local); })
                    ->Arg(256);
            }
        }
    }
    return true;
}();

}  // namespace
}  // namespace warpseq
