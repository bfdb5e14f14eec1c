// Measures the speed of Forward, Backward, envelopes and sampled regions in one thread, with every
// back end that this processor runs, by model length. Targets have similar lengths. Each holds one
// copy of the model, or two for regions, so that there is something to sample. A cell is a node
// times a residue in every stage.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "kernels/profile/forward_backward.h"
#include "libcore/base/random.h"
#include "tests/support/random_plan7.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

constexpr std::size_t kTargets = 32;
constexpr std::size_t kBetweenResidues = 30;

enum class Call { kForward, kBackward, kEnvelope, kRegion };

template <typename Task>
std::vector<Task*> pointers(std::vector<Task>& tasks) {
    std::vector<Task*> all;
    for (Task& task : tasks) all.push_back(&task);
    return all;
}

void measure(benchmark::State& state, CpuBackend backend, Call call, int length) {
    Random random(1);
    const RandomPlan7 plan7 = random_plan7(random, length);
    std::vector<std::vector<ResidueCode>> targets;
    std::vector<ForwardTask> scans(kTargets);
    std::vector<EnvelopeTask> envelopes(kTargets);
    std::vector<RegionTask> regions(kTargets);
    double cells = 0;
    for (std::size_t x = 0; x < kTargets; ++x) {
        targets.push_back(planted_target(random, plan7, call == Call::kRegion ? 2 : 1, kBetweenResidues));
        cells += static_cast<double>(targets.back().size()) * length;
    }
    for (std::size_t x = 0; x < kTargets; ++x) {
        const std::size_t residues = targets[x].size();
        scans[x].target = envelopes[x].envelope = regions[x].region = targets[x];
        scans[x].length_model = regions[x].length_model = LengthModel::multihit(residues);
        envelopes[x].length_model = LengthModel::unihit(residues);
    }
    const auto algorithm = make_forward_backward(backend, plan7.profile);
    const auto workspace = algorithm->make_workspace();
    algorithm->forward(pointers(scans), *workspace);
    for (auto _ : state) {
        switch (call) {
            case Call::kForward: algorithm->forward(pointers(scans), *workspace); break;
            case Call::kBackward: algorithm->backward(pointers(scans), *workspace); break;
            case Call::kEnvelope: algorithm->decode_envelopes(pointers(envelopes), *workspace); break;
            case Call::kRegion: algorithm->sample_regions(pointers(regions), *workspace); break;
        }
    }
    state.counters["GCUPS"] = benchmark::Counter(cells * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

struct NamedCall {
    Call call;
    const char* name;
};

const bool kRegistered = [] {
    for (const NamedCall& call :
         {NamedCall{Call::kForward, "forward"}, NamedCall{Call::kBackward, "backward"},
          NamedCall{Call::kEnvelope, "decode_envelopes"}, NamedCall{Call::kRegion, "sample_regions"}}) {
        for (const CpuBackend backend : runnable_cpu_backends()) {
            for (const int length : {50, 150, 400, 1200}) {
                const std::string name = std::string(call.name) + "/" + std::string(cpu_backend_name(backend)) +
                                         "/model:" + std::to_string(length);
                benchmark::RegisterBenchmark(name.c_str(), [backend, call, length](benchmark::State& state) {
                    measure(state, backend, call.call, length);
                })->Unit(benchmark::kMillisecond);
            }
        }
    }
    return true;
}();

}  // namespace
