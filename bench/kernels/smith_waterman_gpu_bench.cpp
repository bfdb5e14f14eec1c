// Measures the kernel time of Smith-Waterman on one GPU with a resident database: all queries as
// one batch, each query alone, and short queries.
//
//   warpseq-gpu-bench DATABASE.wsdb QUERIES.fasta [GPU]
//
// Prints a table in Markdown. Time is between events around the kernels and is the median of
// several runs. Cells are real residues.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bench/kernels/gpu_bench.h"
#include "formats/fasta/fasta.h"
#include "formats/wsdb/wsdb_reader.h"
#include "kernels/smith_waterman/smith_waterman_gpu.h"
#include "libcore/scoring/builtin_matrices.h"

namespace {

using namespace warpseq;
using warpseq::bench::must;

constexpr int kRuns = 5;

struct Bench {
    cuda::SmithWatermanGpu& gpu;
    const cuda::DeviceTargets& targets;
    std::uint64_t database_residues;
    ScoringScheme scheme;

    void row(const std::string& name, const std::vector<std::vector<ResidueCode>>& queries,
             const cuda::KernelShape* shape = nullptr) const {
        std::vector<std::span<const ResidueCode>> spans(queries.begin(), queries.end());
        std::uint64_t residues = 0;
        for (const auto& query : queries) residues += query.size();
        const auto batch = std::make_shared<const cuda::SmithWatermanBatch>(spans, scheme, shape);
        std::vector<float> milliseconds;
        std::uint64_t checksum = 0;
        for (int run = 0; run <= kRuns; ++run) {
            const auto scores = must(gpu.score(batch, targets));
            if (run > 0) milliseconds.push_back(gpu.kernel_milliseconds());
            checksum = 0;
            for (std::size_t i = 0; i < scores.size(); i += 997) checksum += scores[i];
        }
        const auto median = static_cast<double>(bench::median(milliseconds));
        const cuda::SmithWatermanPlan& plan = batch->interleaved().plan;
        const double cells = static_cast<double>(residues) * static_cast<double>(database_residues);
        std::printf("| %s | %zu | %llu | %s, G %d, R %d, %zu passes | %.3f | %.2f | %llu |\n", name.c_str(),
                    queries.size(), static_cast<unsigned long long>(residues),
                    plan.shape.pairing == cuda::Pairing::kTwoQueries ? "two queries" : "two targets",
                    plan.shape.group_threads, plan.shape.rows_per_thread, plan.passes.size(), median,
                    cells / median / 1e9, static_cast<unsigned long long>(checksum));
        std::fflush(stdout);
    }
};

int run(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: warpseq-gpu-bench DATABASE.wsdb QUERIES.fasta [GPU]\n");
        return 2;
    }
    const WsdbReader reader = must(WsdbReader::open(argv[1]));
    FastaReader fasta({argv[2]});
    std::vector<std::vector<ResidueCode>> queries;
    for (FastaRecord record; must(fasta.next(record));) queries.push_back(record.residues);
    TileBuffer buffer;
    must(reader.read_tiles(0, reader.tile_count(), buffer));
    const auto gpu = must(cuda::SmithWatermanGpu::create(argc > 3 ? std::atoi(argv[3]) : 0));
    const auto targets = must(gpu->upload(buffer.views, nullptr));
    const Bench bench{*gpu, *targets, reader.residue_count(), {*builtin_matrix("BLOSUM62"), {11, 1}}};

    std::printf("%llu sequences, %llu residues, BLOSUM62 11/1\n\n",
                static_cast<unsigned long long>(reader.sequence_count()),
                static_cast<unsigned long long>(reader.residue_count()));
    std::printf(
        "| queries | number | residues | plan | ms | TCUPS | checksum |\n| --- | --- | --- | --- | --- | --- | --- "
        "|\n");
    bench.row("all, one batch", queries);
    for (const auto& query : queries) bench.row("alone", {query});
    for (const std::size_t length : {16u, 24u, 32u, 48u, 64u, 80u, 100u}) {
        std::vector<std::vector<ResidueCode>> pieces;
        for (const auto& query : queries) {
            if (query.size() >= length)
                pieces.emplace_back(query.begin(), query.begin() + static_cast<std::ptrdiff_t>(length));
        }
        bench.row("short, alone", {pieces.front()});
        bench.row("short, one batch", pieces);
    }
    // Measure every shape at its best, with queries that fill its rows, in one pass and, if it can,
    // in four.
    const std::vector<ResidueCode>& longest =
        *std::ranges::max_element(queries, {}, [](const auto& q) { return q.size(); });
    for (const cuda::KernelShape& shape : cuda::kernel_shapes()) {
        for (const std::size_t passes : {1u, 4u}) {
            if (passes > 1 && shape.group_threads != cuda::kMostGroupThreads) continue;
            const std::size_t rows = passes * static_cast<std::size_t>(shape.group_threads * shape.rows_per_thread);
            const std::vector<ResidueCode> query(longest.begin(), longest.begin() + static_cast<std::ptrdiff_t>(rows));
            const std::size_t count = shape.pairing == cuda::Pairing::kTwoQueries ? 2 : 1;
            bench.row("shape", std::vector<std::vector<ResidueCode>>(count, query), &shape);
        }
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv); }
