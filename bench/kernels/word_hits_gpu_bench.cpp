// Measures the kernel time of BLAST's word hits on one GPU with a resident database.
//
//   warpseq-word-hits-gpu-bench DATABASE.wsdb QUERIES.fasta [LAUNCHES]
//
// LAUNCHES are the launches to try, separated by commas. Each is DIAGONALS:WARPS:EXTENSIONS:
// residues and diagonals of a block of queries, warps of a thread block or 0, and hits that are
// extended at once. Prints a table in Markdown. Time is between events around the kernels and is
// the median of several runs. Cells are real residues. The search has BLOSUM62, words of 3
// residues, threshold 11, window 40, X-drop 16, and cutoff 41 for all queries.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "bench/kernels/gpu_bench.h"
#include "formats/fasta/fasta.h"
#include "formats/wsdb/wsdb_reader.h"
#include "kernels/seeds/word_hits_gpu.h"
#include "libcore/base/clock.h"
#include "libcore/scoring/builtin_matrices.h"

namespace {

using namespace warpseq;
using warpseq::bench::must;

constexpr int kRuns = 3;

int run(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(
            stderr,
            "usage: warpseq-word-hits-gpu-bench DATABASE.wsdb QUERIES.fasta [DIAGONALS:WARPS:EXTENSIONS,...]\n");
        return 2;
    }
    const WsdbReader reader = must(WsdbReader::open(argv[1]));
    FastaReader fasta({argv[2]});
    std::vector<std::vector<ResidueCode>> queries;
    std::uint64_t residues = 0;
    for (FastaRecord record; must(fasta.next(record));) {
        residues += record.residues.size();
        queries.push_back(record.residues);
    }
    std::vector<std::vector<QueryStretch>> stretches;
    std::vector<cuda::WordHitQuery> seed_queries;
    for (const auto& query : queries) stretches.push_back({{0, static_cast<std::uint32_t>(query.size())}});
    for (std::size_t q = 0; q < queries.size(); ++q) seed_queries.push_back({queries[q], stretches[q], 16, 41});
    TileBuffer buffer;
    must(reader.read_tiles(0, reader.tile_count(), buffer));
    const SubstitutionMatrix matrix = *builtin_matrix("BLOSUM62");
    const WordRule rule = WordRule::uncompressed(matrix, 3, 11);
    ThreadPool pool(ThreadPool::hardware_threads());

    std::printf("%zu queries, %llu residues; %llu sequences, %llu residues\n\n", queries.size(),
                static_cast<unsigned long long>(residues), static_cast<unsigned long long>(reader.sequence_count()),
                static_cast<unsigned long long>(reader.residue_count()));
    std::printf(
        "| diagonals | warps | extensions | blocks | tables MB | tables ms | ms | TCUPS | pairs |\n| --- | --- | --- | "
        "--- | --- | --- | --- | --- | --- |\n");
    std::istringstream launches(argc > 3 ? argv[3] : "8192:0:32");
    for (std::string each; std::getline(launches, each, ',');) {
        unsigned diagonals = 0;
        cuda::WordHitLaunch launch;
        if (std::sscanf(each.c_str(), "%u:%u:%u", &diagonals, &launch.warps_per_block, &launch.extensions_at_once) != 3)
            return 2;
        launch.pairs_expected = std::uint64_t{8} << 20;
        const auto start = Clock::now();
        const auto batch = std::make_shared<const cuda::WordHitTables>(
            must(cuda::WordHitTables::create(seed_queries, rule, matrix, 40, pool, diagonals)));
        const double table_ms = 1e3 * seconds_since(start);
        const auto gpu = must(cuda::WordHitGpu::create(0, launch));
        const auto targets = must(gpu->upload(buffer.views, nullptr));
        std::vector<float> milliseconds;
        std::size_t pairs = 0;
        for (int i = 0; i <= kRuns; ++i) {
            pairs = must(gpu->find(batch, *targets)).size();
            if (i > 0) milliseconds.push_back(gpu->kernel_milliseconds());
        }
        const auto median = static_cast<double>(bench::median(milliseconds));
        std::printf("| %u | %u | %u | %zu | %.1f | %.1f | %.3f | %.2f | %zu |\n", batch->diagonals(),
                    launch.warps_per_block, launch.extensions_at_once, batch->blocks().size(),
                    static_cast<double>(batch->bytes()) / 1e6, table_ms, median,
                    static_cast<double>(residues) * static_cast<double>(reader.residue_count()) / median / 1e9, pairs);
        std::fflush(stdout);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv); }
