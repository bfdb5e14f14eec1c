// Measures alignments with traceback in one thread, in cells of the whole matrix per second. The
// cases are relatives as long as the query, and a short common domain in two long sequences.
#include <benchmark/benchmark.h>

#include <string>

#include "kernels/smith_waterman/local_alignment.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/random_proteins.h"

namespace warpseq {
namespace {

using testing::Sequence;

void align(benchmark::State& state, CpuBackend backend, bool whole_length) {
    Random random(3);
    const auto residues = static_cast<std::size_t>(state.range(0));
    const Sequence query = testing::random_protein(random, residues);
    Sequence target = testing::random_protein(random, residues);
    if (whole_length) {
        target = testing::mutated(random, query, 0.5);
    } else {
        const Sequence domain = testing::mutated(
            random, std::span(query).subspan(residues / 2, std::min<std::size_t>(100, residues / 2)), 0.7, 0.0);
        std::copy(domain.begin(), domain.end(), target.begin() + static_cast<std::ptrdiff_t>(residues / 3));
    }
    const PairScores scores = pair_scores({builtin_matrix("BLOSUM62").value(), {11, 1}});
    while (state.KeepRunning()) {
        benchmark::DoNotOptimize(align_local(backend, query, target, scores, {}));
    }
    state.counters["cells"] =
        benchmark::Counter(static_cast<double>(query.size() * target.size()) * static_cast<double>(state.iterations()),
                           benchmark::Counter::kIsRate);
}

const bool kRegistered = [] {
    for (const CpuBackend backend : runnable_cpu_backends()) {
        if (backend == CpuBackend::kReference) continue;  // the same vectors as kPortable
        const std::string name = "local_alignment/" + std::string(cpu_backend_name(backend));
        benchmark::RegisterBenchmark((name + "/whole_length").c_str(),
                                     [backend](benchmark::State& s) { align(s, backend, true); })
            ->Arg(50)
            ->Arg(144)
            ->Arg(375)
            ->Arg(1000)
            ->Arg(5000)
            ->Arg(35000);
        benchmark::RegisterBenchmark((name + "/short_domain").c_str(),
                                     [backend](benchmark::State& s) { align(s, backend, false); })
            ->Arg(375)
            ->Arg(1000)
            ->Arg(5000);
    }
    return true;
}();

}  // namespace
}  // namespace warpseq
