// Measures Smith-Waterman scores per second in one thread, with every back end that this processor
// runs, by shape, width and query length. The counter `cells` is real cells per second. `cells16`
// and `cells32` are the cells among them that were computed in 16 and 32 bits. They show which
// width a case measured.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "kernels/smith_waterman/smith_waterman.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/random_proteins.h"
#include "tests/support/tile_builder.h"

namespace warpseq {
namespace {

using testing::Sequence;

void run(benchmark::State& state, CpuBackend backend, const Sequence& query, const testing::TileBuilder& tiles,
         const ScoringScheme& scheme) {
    const std::vector<std::span<const ResidueCode>> queries = {query};
    auto scorer = make_smith_waterman_scorer(backend, queries, scheme);
    if (!scorer.ok()) {
        state.SkipWithError(scorer.status().message().c_str());
        return;
    }
    const std::vector<TileView> views = tiles.views();
    std::size_t lanes = 0;
    for (const TileView& view : views) lanes += view.lanes();
    std::vector<std::int32_t> scores(lanes);
    auto workspace = (*scorer)->make_workspace();
    while (state.KeepRunning()) {
        (*scorer)->score(views, *workspace, scores);
        benchmark::DoNotOptimize(scores.data());
    }
    const auto rate = [](std::uint64_t cells) {
        return benchmark::Counter(static_cast<double>(cells), benchmark::Counter::kIsRate);
    };
    state.counters["cells"] = rate(workspace->counts.cells);
    state.counters["cells16"] = rate(workspace->counts.cells_16_bit);
    state.counters["cells32"] = rate(workspace->counts.cells_32_bit);
}

ScoringScheme blosum62() { return {builtin_matrix("BLOSUM62").value(), {11, 1}}; }

// Returns a scheme with 127 for every match, so that a few hundred matches exceed 16 bits.
ScoringScheme dear_matches() {
    SubstitutionMatrix::Table table{};
    for (std::size_t q = 0; q < table.size(); ++q) {
        for (std::size_t t = 0; t < table.size(); ++t) table[q][t] = q == t ? 127 : -20;
    }
    return {SubstitutionMatrix("dear matches", table), {11, 1}};
}

// Measures two full tiles of unrelated sequences (8 bits), or of relatives of the query (16 bits).
void interleaved(benchmark::State& state, CpuBackend backend, bool relatives) {
    Random random(1);
    const Sequence query = testing::random_protein(random, static_cast<std::size_t>(state.range(0)));
    testing::TileBuilder tiles;
    for (int tile = 0; tile < 2; ++tile) {
        std::vector<Sequence> sequences;
        for (std::size_t lane = 0; lane < kTileLanes; ++lane) {
            sequences.push_back(relatives ? testing::mutated(random, query, 0.9, 0.0)
                                          : testing::random_protein(random, 360));
        }
        tiles.add_interleaved(sequences);
    }
    run(state, backend, query, tiles, blosum62());
}

// Measures a linear tile with an unrelated sequence (8 bits), with a relative (16 bits), or with a
// relative and high scores for matches (32 bits).
void linear(benchmark::State& state, CpuBackend backend, int width_bits) {
    Random random(2);
    const Sequence query = testing::random_protein(random, static_cast<std::size_t>(state.range(0)));
    testing::TileBuilder tiles;
    tiles.add_linear(width_bits == 8 ? testing::random_protein(random, 5000)
                                     : testing::mutated(random, query, 0.9, 0.0));
    run(state, backend, query, tiles, width_bits == 32 ? dear_matches() : blosum62());
}

const bool kRegistered = [] {
    for (const CpuBackend backend : runnable_cpu_backends()) {
        const std::string name = "smith_waterman/" + std::string(cpu_backend_name(backend));
        const auto add = [&name](const std::string& shape, auto function,
                                 const std::vector<std::int64_t>& query_residues) {
            auto* const bench = benchmark::RegisterBenchmark((name + "/" + shape).c_str(), function);
            for (const std::int64_t residues : query_residues) bench->Arg(residues);
        };
        if (backend == CpuBackend::kReference) {
            add("interleaved", [backend](benchmark::State& s) { interleaved(s, backend, false); }, {144});
            continue;
        }
        add("interleaved_8_bit", [backend](benchmark::State& s) { interleaved(s, backend, false); },
            {4, 30, 64, 144, 375, 1000, 5000, 35000});
        add("interleaved_16_bit", [backend](benchmark::State& s) { interleaved(s, backend, true); }, {144, 375, 1000});
        add("linear_8_bit", [backend](benchmark::State& s) { linear(s, backend, 8); },
            {4, 30, 64, 144, 375, 1000, 5000});
        add("linear_16_bit", [backend](benchmark::State& s) { linear(s, backend, 16); }, {144, 375, 1000, 5000});
        add("linear_32_bit", [backend](benchmark::State& s) { linear(s, backend, 32); }, {1000, 5000});
    }
    return true;
}();

}  // namespace
}  // namespace warpseq
