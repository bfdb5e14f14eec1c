// Kernel time of the profile filters on one GPU with a resident database: models alone and in batches.
//
//   warpseq-hmm-gpu-bench DATABASE.wsdb PROFILES.hmm [GPU]
//
// Prints a table in Markdown. Time is between events around the kernels, the median of several runs; cells are model nodes times
// real residues.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "formats/hmm_file.h"
#include "formats/wsdb_reader.h"
#include "kernels/cuda/profile_filters.h"

namespace {

using namespace warpseq;

constexpr int kRuns = 5;

template <typename T>
T must(Result<T> result) {
    if (!result.ok()) {
        std::fprintf(stderr, "warpseq-hmm-gpu-bench: %s\n", result.status().message().c_str());
        std::exit(result.status().exit_status());
    }
    return *std::move(result);
}

struct Bench {
    cuda::ProfileFilterGpu& gpu;
    const cuda::DeviceTargets& targets;
    std::uint64_t database_residues;

    void row(const std::string& name, const std::vector<const MsvProfile*>& profiles,
             const cuda::SsvShape* shape = nullptr) const {
        std::uint64_t nodes = 0;
        for (const MsvProfile* profile : profiles) nodes += static_cast<std::uint64_t>(profile->length);
        const auto batch = std::make_shared<const cuda::ProfileFilterBatch>(profiles, shape);
        std::vector<float> milliseconds;
        std::uint64_t checksum = 0;
        for (int run = 0; run <= kRuns; ++run) {
            const auto results = must(gpu.score_ssv(batch, targets));
            if (run > 0) milliseconds.push_back(gpu.kernel_milliseconds());
            checksum = 0;
            for (std::size_t i = 0; i < results.size(); i += 997) checksum += results[i];
        }
        std::ranges::sort(milliseconds);
        const double median = milliseconds[milliseconds.size() / 2];
        const cuda::SsvPlan& plan = batch->ssv_plan();
        const double cells = static_cast<double>(nodes) * static_cast<double>(database_residues);
        std::printf("| %s | %zu | %llu | G %d, R %d, %zu passes | %.3f | %.2f | %llu |\n", name.c_str(), profiles.size(),
                    static_cast<unsigned long long>(nodes), plan.shape.group_threads, plan.shape.rows_per_thread,
                    plan.passes.size(), median, cells / median / 1e9, static_cast<unsigned long long>(checksum));
        std::fflush(stdout);
    }
};

int run(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: warpseq-hmm-gpu-bench DATABASE.wsdb PROFILES.hmm [GPU]\n");
        return 2;
    }
    const WsdbReader reader = must(WsdbReader::open(argv[1]));
    HmmFileReader file(argv[2]);
    std::vector<MsvProfile> profiles;
    for (ProfileHmm hmm; must(file.next(hmm));) profiles.push_back(quantise_msv(configure_plan7(hmm)));
    TileBuffer buffer;
    if (const Status status = reader.read_tiles(0, reader.tile_count(), buffer); !status.ok())
        must(Result<int>(status));
    const auto gpu = must(cuda::ProfileFilterGpu::create(argc > 3 ? std::atoi(argv[3]) : 0));
    const auto targets = must(gpu->upload(buffer.views, nullptr));
    const Bench bench{*gpu, *targets, reader.residue_count()};

    std::printf("%llu sequences, %llu residues\n\n", static_cast<unsigned long long>(reader.sequence_count()),
                static_cast<unsigned long long>(reader.residue_count()));
    std::printf("| SSV | models | nodes | plan | ms | TCUPS | checksum |\n| --- | --- | --- | --- | --- | --- | --- |\n");
    std::vector<const MsvProfile*> all;
    for (const MsvProfile& profile : profiles) all.push_back(&profile);
    bench.row("all, one batch", all);
    for (const MsvProfile* profile : all) bench.row("alone", {profile});
    // Every shape at its best: a batch that fills its rows.
    for (const cuda::SsvShape& shape : cuda::ssv_shapes()) bench.row("shape", all, &shape);
    return 0;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv); }
