// Measures the kernel time of the float filters (Forward, bias) on one GPU with a resident
// database. The cases are each model against every target, every shape of the Forward kernel at its
// longest model, and lists of scattered pairs like those of a search.
//
//   warpseq-float-gpu-bench DATABASE.wsdb PROFILES.hmm [shapes]
//
// Prints tables in Markdown. Time is between events and is the median of three runs. Cells are
// model nodes times real residues.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/kernels/gpu_bench.h"
#include "formats/profiles/hmm_file.h"
#include "formats/wsdb/wsdb_reader.h"
#include "kernels/profile/bias_stage_gpu.cuh"
#include "kernels/profile/forward_stage_gpu.cuh"
#include "kernels/profile/profile_filters_gpu.h"
#include "libcore/base/random.h"
#include "tests/support/device_pairs.h"
#include "tests/support/random_profile.h"

namespace {

using namespace warpseq;
using warpseq::bench::must;

/// Returns the median milliseconds of three runs, after one that does not count.
float milliseconds(const std::function<Status()>& enqueue) {
    cudaEvent_t begun, ended;
    cudaEventCreate(&begun);
    cudaEventCreate(&ended);
    std::vector<float> times;
    for (int run = 0; run < 4; ++run) {
        cudaEventRecord(begun);
        must(enqueue());
        cudaEventRecord(ended);
        must(cuda::cuda_status(cudaEventSynchronize(ended), 0, "the kernel failed"));
        float time = 0;
        cudaEventElapsedTime(&time, begun, ended);
        if (run > 0) times.push_back(time);
    }
    cudaEventDestroy(begun);
    cudaEventDestroy(ended);
    return bench::median(std::move(times));
}

struct Bench {
    const cuda::TargetsOnDevice& targets;
    const std::vector<std::uint64_t>& lengths;  // of every lane

    /// Prints the row for these profiles, each against every `one_of`-th lane.
    void forward(const char* name, const std::vector<const ForwardProfile*>& profiles, std::size_t one_of,
                 const cuda::ForwardShape* shape = nullptr) const {
        std::vector<std::uint32_t> slots;
        double cells = 0, residues = 0;
        for (std::size_t p = 0; p < profiles.size(); ++p) {
            for (std::size_t lane = p % one_of; lane < lengths.size(); lane += one_of) {
                if (lengths[lane] == 0) continue;
                slots.push_back(static_cast<std::uint32_t>(p * lengths.size() + lane));
                residues += static_cast<double>(lengths[lane]);
                cells += static_cast<double>(lengths[lane]) * profiles[p]->length;
            }
        }
        const cuda::ForwardTables tables(profiles, shape);
        testing::DevicePairs pairs;
        if (!pairs.set(targets, static_cast<std::uint32_t>(profiles.size()), slots))
            must(Status::unavailable("no memory"));
        cuda::ForwardStage stage(0, cuda::kAmpleScratchBytes);
        must(stage.prepare(tables, nullptr));
        const float time = milliseconds([&] { return stage.score(targets, pairs.list(), pairs.results(), nullptr); });
        double sum = 0;
        for (const float result : pairs.read(nullptr)) sum += static_cast<double>(result);
        const cuda::ForwardShape& used = tables.entries().front().shape;
        std::printf("| %s | %zu | %d | %d x %d, %d, %d ", name, profiles.size(), profiles.front()->length, used.warps,
                    used.lanes, used.nodes_per_thread, used.targets);
        std::printf("| %zu | %.3f | %.2f | %.3f | %.6g |\n", slots.size(), time, time / residues * 2e8,
                    cells / time / 1e9, sum);
        std::fflush(stdout);
    }
};

int run(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: warpseq-float-gpu-bench DATABASE.wsdb PROFILES.hmm [shapes]\n");
        return 2;
    }
    const WsdbReader reader = must(WsdbReader::open(argv[1]));
    HmmFileReader file(argv[2]);
    std::vector<ProfileHmm> models;
    Random random(48);
    models.push_back(testing::random_profile(random, 48));
    for (ProfileHmm hmm; must(file.next(hmm));) models.push_back(hmm);
    TileBuffer buffer;
    must(reader.read_tiles(0, reader.tile_count(), buffer));
    cuda::TargetUploader uploader(0, cuda::TargetTables::kLanes);
    const auto uploaded = must(uploader.upload(buffer.views, nullptr, nullptr));
    std::vector<std::uint64_t> lengths;
    for (const TileView& tile : buffer.views)
        lengths.insert(lengths.end(), tile.lengths_residues.begin(), tile.lengths_residues.end());
    const Bench bench{static_cast<const cuda::TargetsOnDevice&>(*uploaded), lengths};

    std::printf("%llu sequences, %llu residues\n\n", static_cast<unsigned long long>(reader.sequence_count()),
                static_cast<unsigned long long>(reader.residue_count()));
    std::printf(
        "| Forward | models | nodes of the first | its warps x lanes, nodes a thread, targets | pairs | ms | ms of 200 "
        "million residues "
        "| TCUPS | sum |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    std::vector<ForwardProfile> profiles;
    std::vector<const ForwardProfile*> all;
    for (const ProfileHmm& hmm : models) profiles.push_back(forward_odds(configure_plan7(hmm)));
    for (const ForwardProfile& profile : profiles) all.push_back(&profile);
    if (argc > 3) {
        for (const cuda::ForwardShape& shape : cuda::forward_shapes()) {
            const ForwardProfile profile =
                forward_odds(configure_plan7(testing::random_profile(random, shape.nodes())));
            bench.forward("shape", {&profile}, shape.warps > 1 ? 4 : 1, &shape);
        }
    }
    for (const ForwardProfile* profile : all) bench.forward("alone", {profile}, 1);
    bench.forward("all, one in 200", all, 200);
    bench.forward("all, one in 2,000", all, 2000);

    // Measure a million pairs of about 360 residues that are not next to each other.
    std::vector<BiasFilter> filters;
    std::vector<const BiasFilter*> pointers;
    for (const ProfileHmm& hmm : models) filters.emplace_back(hmm.length, hmm.composition);
    for (const BiasFilter& filter : filters) pointers.push_back(&filter);
    for (const std::size_t one_of :
         {std::size_t{1}, filters.size() * lengths.size() / 1'000'000 + 1, std::size_t{200}}) {
        std::vector<std::uint32_t> slots;
        for (std::size_t slot = 0; slot < filters.size() * lengths.size(); slot += one_of) {
            if (lengths[slot % lengths.size()] > 0) slots.push_back(static_cast<std::uint32_t>(slot));
        }
        testing::DevicePairs pairs;
        if (!pairs.set(bench.targets, static_cast<std::uint32_t>(filters.size()), slots))
            must(Status::unavailable("no memory"));
        cuda::BiasStage stage(0);
        must(stage.prepare(cuda::BiasTables(pointers), nullptr));
        const float time =
            milliseconds([&] { return stage.score(bench.targets, pairs.list(), pairs.results(), nullptr); });
        std::printf("\nbias: %zu pairs, one in %zu of all: %.3f ms\n", slots.size(), one_of, time);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv); }
