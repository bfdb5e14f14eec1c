// Measures the MSV and Viterbi filters in one thread, in cells per second, with every back end that
// this processor runs, by model length. Most targets of a database are random, so there are cases
// with random targets. For the Viterbi filter there are also cases with a part of the model
// planted, because such targets reach it.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/profile/msv_filter.h"
#include "kernels/profile/viterbi_filter.h"
#include "libcore/base/random.h"
#include "tests/support/random_profile.h"
#include "tests/support/random_proteins.h"
#include "tests/support/tile_builder.h"

namespace warpseq {
namespace {

using testing::Sequence;

// Returns targets whose lengths are spread as in a protein database, longest first.
std::vector<Sequence> random_targets(Random& random, std::size_t count) {
    std::vector<Sequence> targets;
    for (std::size_t t = 0; t < count; ++t) {
        targets.push_back(
            testing::random_protein(random, 30 + static_cast<std::size_t>(280 * std::exp(0.6 * random.normal()))));
    }
    std::sort(targets.begin(), targets.end(), [](const Sequence& a, const Sequence& b) { return a.size() > b.size(); });
    return targets;
}

void report_cells(benchmark::State& state, std::uint64_t cells) {
    state.counters["cells"] = benchmark::Counter(static_cast<double>(cells), benchmark::Counter::kIsRate);
}

void msv(benchmark::State& state, CpuBackend backend, std::size_t profile_count) {
    Random random(1);
    std::vector<MsvProfile> profiles;
    for (std::size_t p = 0; p < profile_count; ++p) {
        profiles.push_back(
            quantise_msv(configure_plan7(testing::random_profile(random, static_cast<int>(state.range(0))))));
    }
    const std::vector<Sequence> targets = random_targets(random, backend == CpuBackend::kReference ? 32 : 4096);
    testing::TileBuilder tiles;
    for (std::size_t first = 0; first < targets.size(); first += kTileLanes) {
        tiles.add_interleaved(std::span(targets).subspan(first, kTileLanes));
    }
    const std::vector<TileView> views = tiles.views();
    const auto filter = make_msv_filter(backend, profiles);
    const auto workspace = filter->make_workspace();
    std::vector<std::int16_t> results(profiles.size() * targets.size());
    while (state.KeepRunning()) {
        filter->score(views, *workspace, results);
        benchmark::DoNotOptimize(results.data());
    }
    report_cells(state, workspace->cells);
    state.counters["undecided"] =
        static_cast<double>(workspace->undecided_cells) / static_cast<double>(workspace->cells);
}

void viterbi(benchmark::State& state, CpuBackend backend, bool with_planted) {
    Random random(2);
    const ProfileHmm hmm = testing::random_profile(random, static_cast<int>(state.range(0)));
    std::vector<Sequence> targets = random_targets(random, backend == CpuBackend::kReference ? 8 : 512);
    if (with_planted) {
        // Plant a quarter of the model or 25 nodes, weakened. The scores are around those of the
        // best random targets.
        for (Sequence& target : targets) {
            const auto nodes = static_cast<std::size_t>(hmm.length);
            const std::size_t part_nodes = std::min(nodes, std::max<std::size_t>(25, nodes / 4));
            const std::size_t first = 1 + random.below(nodes - part_nodes + 1);
            const Sequence part =
                testing::mutated(random, testing::emitted(random, hmm, first, first + part_nodes - 1), 0.6);
            const std::size_t at = random.below(target.size());
            for (std::size_t i = 0; i < part.size() && at + i < target.size(); ++i) target[at + i] = part[i];
        }
    }
    const auto filter = make_viterbi_filter(backend, quantise_viterbi(configure_plan7(hmm)));
    const auto workspace = filter->make_workspace();
    const std::vector<std::span<const ResidueCode>> spans(targets.begin(), targets.end());
    std::vector<std::int16_t> results(targets.size());
    std::uint64_t call_cells = 0, cells = 0;
    for (const Sequence& target : targets) call_cells += target.size() * static_cast<std::uint64_t>(hmm.length);
    while (state.KeepRunning()) {
        filter->score(spans, *workspace, results);
        benchmark::DoNotOptimize(results.data());
        cells += call_cells;
    }
    report_cells(state, cells);
}

const bool kRegistered = [] {
    for (const CpuBackend backend : runnable_cpu_backends()) {
        const std::string name(cpu_backend_name(backend));
        const auto add = [](const std::string& full_name, auto function) {
            auto* const bench = benchmark::RegisterBenchmark(full_name.c_str(), function);
            for (const std::int64_t nodes : {20, 50, 70, 100, 150, 200, 300, 400, 600, 1000, 1600, 2400})
                bench->Arg(nodes);
        };
        add("msv/" + name, [backend](benchmark::State& s) { msv(s, backend, 1); });
        add("msv_8_profiles/" + name, [backend](benchmark::State& s) { msv(s, backend, 8); });
        add("viterbi/" + name, [backend](benchmark::State& s) { viterbi(s, backend, false); });
        add("viterbi_planted/" + name, [backend](benchmark::State& s) { viterbi(s, backend, true); });
    }
    return true;
}();

}  // namespace
}  // namespace warpseq
