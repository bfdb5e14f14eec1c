// Measures the kernel time of the profile filters on one GPU with a resident database: models alone
// and in batches, every stage over every pair.
//
//   warpseq-hmm-gpu-bench DATABASE.wsdb PROFILES.hmm [GPU] [--shapes]
//
// Prints tables in Markdown. Time is between events around a stage's kernels and is the median of
// several runs. Cells are model nodes times real residues. --shapes measures SSV's shapes over all
// models in a batch, for the table in ssv_plan_gpu.cpp.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/kernels/gpu_bench.h"
#include "formats/profiles/hmm_file.h"
#include "formats/wsdb/wsdb_reader.h"
#include "kernels/profile/profile_filters_gpu.h"

namespace {

using namespace warpseq;
using warpseq::bench::median;
using warpseq::bench::must;

constexpr int kRuns = 5;

struct Model {
    std::string name;
    MsvProfile msv;
    ViterbiProfile viterbi;
    ForwardProfile forward;
    BiasFilter bias;
    cuda::FilterThresholds thresholds;
};

/// Return the score in bits whose P-value is `p`, by a Gumbel and by an exponential tail.
float gumbel_bits(double mu, double lambda, double p) {
    return static_cast<float>(mu - std::log(-std::log1p(-p)) / lambda);
}
float exponential_bits(double tau, double lambda, double p) { return static_cast<float>(tau - std::log(p) / lambda); }

Model model_of(const ProfileHmm& hmm) {
    const Plan7Profile profile = configure_plan7(hmm);
    Model model{hmm.name,
                quantise_msv(profile),
                quantise_viterbi(profile),
                forward_odds(profile),
                BiasFilter(hmm.length, hmm.composition),
                {}};
    if (hmm.statistics) {
        const HmmStatistics& s = *hmm.statistics;
        model.thresholds = {gumbel_bits(s.msv_mu, s.msv_lambda, 0.02),
                            gumbel_bits(s.msv_mu, s.msv_lambda, 1e-3),
                            gumbel_bits(s.viterbi_mu, s.viterbi_lambda, 1e-3),
                            exponential_bits(s.forward_tau, s.forward_lambda, 1e-5),
                            0,
                            0};
    }
    return model;
}

class Bench {
   public:
    Bench(cuda::ProfileFilterGpu& gpu, const cuda::DeviceTargets& targets, std::uint64_t database_residues)
        : gpu_(gpu), targets_(targets), database_residues_(database_residues) {}

    /// Prints a row for every stage over all pairs of these models.
    void stages(const std::string& name, std::span<const Model* const> models) const {
        const auto batch = batch_of(models);
        const double cells = cells_of(models);
        std::printf("| %s | %.0f |", name.c_str(), cells / static_cast<double>(database_residues_));
        const auto column = [&](auto score, auto milliseconds) {
            std::vector<float> times;
            for (int run = 0; run <= kRuns; ++run) {
                must(score());
                if (run > 0) times.push_back(milliseconds(gpu_.milliseconds()));
            }
            const float time = median(times);
            std::printf(" %.3f | %.2f |", static_cast<double>(time), cells / static_cast<double>(time) / 1e9);
            std::fflush(stdout);
        };
        column([&] { return gpu_.score_ssv(batch, targets_); },
               [](const cuda::FilterMilliseconds& m) { return m.ssv; });
        column([&] { return gpu_.score_msv(batch, targets_); },
               [](const cuda::FilterMilliseconds& m) { return m.ssv + m.msv; });
        column([&] { return gpu_.score_viterbi(batch, targets_); },
               [](const cuda::FilterMilliseconds& m) { return m.viterbi; });
        column([&] { return gpu_.score_forward(batch, targets_); },
               [](const cuda::FilterMilliseconds& m) { return m.forward; });
        std::printf("\n");
    }

    /// Prints a row for SSV alone, with a checksum of its results.
    void ssv(const std::string& name, std::span<const Model* const> models, const cuda::SsvShape* shape) const {
        const auto batch = batch_of(models, shape);
        std::vector<float> times;
        std::uint64_t checksum = 0;
        for (int run = 0; run <= kRuns; ++run) {
            const auto results = must(gpu_.score_ssv(batch, targets_));
            if (run > 0) times.push_back(gpu_.milliseconds().ssv);
            checksum = 0;
            for (std::size_t i = 0; i < results.size(); i += 997) checksum += results[i];
        }
        const auto time = static_cast<double>(median(times));
        std::printf("| %s | %zu | %.3f | %.2f | %llu |\n", name.c_str(), models.size(), time,
                    cells_of(models) / time / 1e9, static_cast<unsigned long long>(checksum));
        std::fflush(stdout);
    }

    /// Prints a row for the whole job: all filters one after another, with the usual thresholds.
    void filter(const std::string& name, std::span<const Model* const> models) const {
        const auto batch = batch_of(models);
        std::vector<cuda::FilterMilliseconds> runs;
        std::size_t candidates = 0;
        cuda::FilterCounts counts;
        for (int run = 0; run <= kRuns; ++run) {
            const auto outcome = must(gpu_.filter(batch, targets_, {}, false));
            if (run > 0) runs.push_back(gpu_.milliseconds());
            candidates = outcome.candidates.size();
            counts = {};
            for (const cuda::FilterCounts& each : outcome.counts) {
                counts.passed_msv += each.passed_msv;
                counts.passed_bias += each.passed_bias;
                counts.passed_viterbi += each.passed_viterbi;
            }
        }
        std::ranges::sort(runs, {}, [](const cuda::FilterMilliseconds& m) { return m.ended - m.begun; });
        const cuda::FilterMilliseconds& m = runs[runs.size() / 2];
        std::printf("| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %u | %u | %u | %zu |\n", name.c_str(),
                    static_cast<double>(m.ssv), static_cast<double>(m.msv), static_cast<double>(m.bias),
                    static_cast<double>(m.viterbi), static_cast<double>(m.forward), m.ended - m.begun,
                    counts.passed_msv, counts.passed_bias, counts.passed_viterbi, candidates);
        std::fflush(stdout);
    }

   private:
    std::shared_ptr<const cuda::ProfileFilterBatch> batch_of(std::span<const Model* const> models,
                                                             const cuda::SsvShape* shape = nullptr) const {
        std::vector<cuda::FilterProfile> profiles;
        for (const Model* model : models)
            profiles.push_back({&model->msv, &model->viterbi, &model->forward, &model->bias, model->thresholds});
        return std::make_shared<const cuda::ProfileFilterBatch>(profiles, cuda::ProfileFilterBatch::Mode::kFilters,
                                                                shape);
    }
    double cells_of(std::span<const Model* const> models) const {
        std::uint64_t nodes = 0;
        for (const Model* model : models) nodes += static_cast<std::uint64_t>(model->msv.length);
        return static_cast<double>(nodes) * static_cast<double>(database_residues_);
    }

    cuda::ProfileFilterGpu& gpu_;
    const cuda::DeviceTargets& targets_;
    std::uint64_t database_residues_;
};

int run(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: warpseq-hmm-gpu-bench DATABASE.wsdb PROFILES.hmm [GPU] [--shapes]\n");
        return 2;
    }
    const WsdbReader reader = must(WsdbReader::open(argv[1]));
    HmmFileReader file(argv[2]);
    std::vector<Model> models;
    for (ProfileHmm hmm; must(file.next(hmm));) models.push_back(model_of(hmm));
    TileBuffer buffer;
    must(reader.read_tiles(0, reader.tile_count(), buffer));
    const bool shapes = std::string_view(argv[argc - 1]) == "--shapes";
    const auto gpu = must(cuda::ProfileFilterGpu::create(argc > 3 && (!shapes || argc > 4) ? std::atoi(argv[3]) : 0,
                                                         cuda::kAmpleScratchBytes));
    const auto targets = must(gpu->upload(buffer.views, nullptr));
    const Bench bench(*gpu, *targets, reader.residue_count());

    std::printf("%llu sequences, %llu residues\n\n", static_cast<unsigned long long>(reader.sequence_count()),
                static_cast<unsigned long long>(reader.residue_count()));
    std::vector<const Model*> all;
    for (const Model& model : models) all.push_back(&model);
    if (shapes) {
        std::printf(
            "| SSV, all models in a batch | models | ms | TCUPS | checksum |\n| --- | --- | --- | --- | --- |\n");
        for (const cuda::SsvShape& shape : cuda::ssv_shapes())
            bench.ssv("G " + std::to_string(shape.group_threads) + ", R " + std::to_string(shape.rows_per_thread), all,
                      &shape);
        return 0;
    }
    std::printf("Every stage over every pair\n\n");
    std::printf(
        "| models | nodes | SSV, ms | TCUPS | MSV, with SSV, ms | TCUPS | Viterbi, ms | TCUPS | Forward, ms | TCUPS "
        "|\n");
    std::printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    bench.stages("all, one batch", all);
    for (const Model* const& model : all) bench.stages(model->name + " alone", std::span(&model, 1));
    std::printf("\nAll filters one after another, P <= 0.02, 0.001, 0.00001\n\n");
    std::printf(
        "| models | SSV, ms | MSV | bias | Viterbi | Forward | begin to end | passed MSV | bias | Viterbi | to the "
        "host |\n");
    std::printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    bench.filter("all, one batch", all);
    for (const Model* const& model : all) bench.filter(model->name + " alone", std::span(&model, 1));
    return 0;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv); }
