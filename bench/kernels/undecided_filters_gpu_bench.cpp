// Measures the kernel time of the stages that decide undecided targets, on one GPU with a resident
// database. The stages are the full MSV recurrence and Viterbi multihit. Every target is undecided,
// one in a hundred is, or none is.
//
//   warpseq-undecided-gpu-bench DATABASE.wsdb PROFILES.hmm [LEAST_NODES [MOST_NODES]]
//
// Prints a table in Markdown. Without LEAST_NODES it also measures each shape of the kernels with
// the model that fills it best. Time is between events around score() and is the median of several
// runs. Cells are model nodes times residues of undecided targets. A sample is checked against the
// reference.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/kernels/gpu_bench.h"
#include "formats/profiles/hmm_file.h"
#include "formats/wsdb/wsdb_reader.h"
#include "kernels/gpu/memory.cuh"
#include "kernels/profile/msv_filter_reference.h"
#include "kernels/profile/msv_stage_gpu.cuh"
#include "kernels/profile/profile_filters_gpu.h"
#include "kernels/profile/viterbi_filter_reference.h"
#include "kernels/profile/viterbi_multihit_stage_gpu.cuh"

namespace {

using namespace warpseq;
using warpseq::bench::must;

constexpr int kRuns = 3;
constexpr std::size_t kSampled = 40;

void must(cudaError_t error) { must(cuda::cuda_status(error, 0, "benchmark")); }

struct Bench {
    std::vector<std::vector<ResidueCode>> sample;  // of lanes sample_lanes
    std::vector<std::size_t> sample_lanes;
    std::vector<std::uint64_t> residues;  // of each lane
    const cuda::TargetsOnDevice* targets = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t begun = nullptr, ended = nullptr;
    cuda::DeviceArray<std::uint32_t> slots, count;
    cuda::DeviceArray<std::int16_t> before, results, viterbi_moves;
    cuda::DeviceArray<std::uint8_t> msv_moves;

    template <typename Stage, typename Move>
    void row(const char* name, int nodes, const std::string& shape, Stage& stage, const Move* moves,
             const std::function<std::int16_t(std::span<const ResidueCode>)>& expected) {
        const auto lanes = static_cast<std::uint32_t>(residues.size());
        std::printf("| %s | %d | %s |", name, nodes, shape.c_str());
        std::size_t wrong = 0;
        for (const std::uint32_t every : {1u, 100u, 0u}) {
            std::vector<std::int16_t> start(lanes, 0);
            std::uint64_t undecided_residues = 0, longest = 0;
            for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                if (every == 1 || (every > 1 && (lane * 2654435761u >> 8) % every == 0)) {
                    start[lane] = cuda::kUndecided;
                    undecided_residues += residues[lane];
                    longest = std::max(longest, residues[lane]);
                }
            }
            must(cudaMemcpy(before.data(), start.data(), lanes * sizeof(std::int16_t), cudaMemcpyHostToDevice));
            std::vector<float> milliseconds;
            for (int run = 0; run <= kRuns; ++run) {
                must(cudaMemcpyAsync(results.data(), before.data(), lanes * sizeof(std::int16_t),
                                     cudaMemcpyDeviceToDevice, stream));
                must(cudaEventRecord(begun, stream));
                must(stage.score(*targets, {slots.data(), count.data(), lanes, lanes, lanes, 1}, moves, results.data(),
                                 stream));
                must(cudaEventRecord(ended, stream));
                must(cudaStreamSynchronize(stream));
                float elapsed = 0;
                must(cudaEventElapsedTime(&elapsed, begun, ended));
                if (run > 0) milliseconds.push_back(elapsed);
            }
            const auto median = static_cast<double>(bench::median(milliseconds));
            if (every == 0)
                std::printf(" %.3f |", median);
            else
                std::printf(" %.3f | %.2f |", median,
                            static_cast<double>(nodes) * static_cast<double>(undecided_residues) / median / 1e9);
            if (every > 1) std::printf(" %llu |", static_cast<unsigned long long>(longest));
            std::vector<std::int16_t> found(lanes);
            must(cudaMemcpy(found.data(), results.data(), lanes * sizeof(std::int16_t), cudaMemcpyDeviceToHost));
            for (std::size_t i = 0; i < sample.size(); ++i) {
                const std::size_t lane = sample_lanes[i];
                wrong += found[lane] != (start[lane] == cuda::kUndecided ? expected(sample[i]) : 0);
            }
        }
        std::printf(" %zu |\n", wrong);
        std::fflush(stdout);
    }

    void msv(const MsvProfile& profile, const cuda::MsvShape* only = nullptr) {
        const MsvProfile* const pointer = &profile;
        const cuda::MsvTables tables({&pointer, 1}, cuda::kMsvTableBytes, only);
        cuda::MsvStage stage(0, cuda::kAmpleScratchBytes);
        must(stage.prepare(tables, stream));
        const std::uint32_t which = tables.shape_of_profile()[0];
        std::string shape = "none";
        if (which < cuda::msv_shapes().size()) {
            const cuda::MsvShape& each = cuda::msv_shapes()[which];
            shape = "G " + std::to_string(each.group_threads) + ", R " + std::to_string(each.rows_per_thread);
        }
        row("MSV", profile.length, shape, stage, msv_moves.data(),
            [&](std::span<const ResidueCode> target) { return reference_msv(profile, target); });
    }

    void viterbi(const ViterbiProfile& profile, const cuda::ViterbiMultihitShape* only = nullptr) {
        const ViterbiProfile* const pointer = &profile;
        const cuda::ViterbiMultihitTables tables({&pointer, 1}, only);
        cuda::ViterbiMultihitStage stage(0, cuda::kAmpleScratchBytes);
        must(stage.prepare(tables, stream));
        const std::uint32_t which = tables.shape_of_profile()[0];
        std::string shape = "none";
        if (which < cuda::viterbi_multihit_shapes().size()) {
            const cuda::ViterbiMultihitShape& each = cuda::viterbi_multihit_shapes()[which];
            shape = "T " + std::to_string(each.threads) + ", R " + std::to_string(each.nodes_per_thread);
        }
        row("Viterbi", profile.length, shape, stage, viterbi_moves.data(),
            [&](std::span<const ResidueCode> target) { return reference_viterbi(profile, target); });
    }
};

int run(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr,
                     "usage: warpseq-undecided-gpu-bench DATABASE.wsdb PROFILES.hmm [LEAST_NODES [MOST_NODES]]\n");
        return 2;
    }
    const int least = argc > 3 ? std::atoi(argv[3]) : 0, most = argc > 4 ? std::atoi(argv[4]) : 1 << 30;
    const WsdbReader reader = must(WsdbReader::open(argv[1]));
    HmmFileReader file(argv[2]);
    std::vector<Plan7Profile> profiles;
    for (ProfileHmm hmm; must(file.next(hmm));) {
        if (hmm.length >= least && hmm.length <= most) profiles.push_back(configure_plan7(hmm));
    }
    TileBuffer buffer;
    must(reader.read_tiles(0, reader.tile_count(), buffer));
    Bench bench;
    must(cudaStreamCreate(&bench.stream));
    must(cudaEventCreate(&bench.begun));
    must(cudaEventCreate(&bench.ended));
    cuda::TargetUploader uploader(0, cuda::TargetTables::kLanes);
    const auto uploaded = must(uploader.upload(buffer.views, nullptr, bench.stream));
    bench.targets = static_cast<const cuda::TargetsOnDevice*>(uploaded.get());

    std::vector<std::uint32_t> slots;
    for (const TileView& tile : buffer.views) {
        for (std::uint32_t lane = 0; lane < tile.lanes(); ++lane) {
            if (slots.size() % (reader.sequence_count() / kSampled + 1) == 7) {
                bench.sample_lanes.push_back(slots.size());
                unpack_lane(tile, lane, bench.sample.emplace_back(tile.lengths_residues[lane]).data());
            }
            slots.push_back(static_cast<std::uint32_t>(slots.size()));
            bench.residues.push_back(tile.lengths_residues[lane]);
        }
    }
    const auto copy = [](auto& array, const auto* from, std::size_t size) {
        must(array.reserve(size));
        must(cudaMemcpy(array.data(), from, size * sizeof(*from), cudaMemcpyHostToDevice));
    };
    std::vector<std::uint8_t> msv_moves;
    std::vector<std::int16_t> viterbi_moves;
    for (const std::uint64_t residues : bench.targets->distinct_lengths) {
        msv_moves.push_back(MsvProfile::move(residues));
        viterbi_moves.push_back(ViterbiProfile::move(residues));
    }
    const auto lanes = static_cast<std::uint32_t>(slots.size());
    copy(bench.slots, slots.data(), lanes);
    copy(bench.count, &lanes, 1);
    copy(bench.msv_moves, msv_moves.data(), msv_moves.size());
    copy(bench.viterbi_moves, viterbi_moves.data(), viterbi_moves.size());
    must(bench.before.reserve(lanes));
    must(bench.results.reserve(lanes));

    std::printf("%llu sequences, %llu residues\n\n", static_cast<unsigned long long>(reader.sequence_count()),
                static_cast<unsigned long long>(reader.residue_count()));
    std::printf(
        "| stage | nodes | shape | all: ms | TCUPS | 1%%: ms | TCUPS | longest target | none: ms | wrong |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (const Plan7Profile& profile : profiles) bench.msv(quantise_msv(profile));
    for (const Plan7Profile& profile : profiles) bench.viterbi(quantise_viterbi(profile));
    if (argc > 3) return 0;
    const auto longest_within = [&](int nodes) {
        const Plan7Profile* found = nullptr;
        for (const Plan7Profile& profile : profiles) {
            if (profile.length <= nodes && (found == nullptr || profile.length > found->length)) found = &profile;
        }
        return found;
    };
    for (const cuda::MsvShape& shape : cuda::msv_shapes()) {
        if (const Plan7Profile* const profile = longest_within(shape.nodes()))
            bench.msv(quantise_msv(*profile), &shape);
    }
    for (const cuda::ViterbiMultihitShape& shape : cuda::viterbi_multihit_shapes()) {
        if (const Plan7Profile* const profile = longest_within(shape.nodes()))
            bench.viterbi(quantise_viterbi(*profile), &shape);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv); }
