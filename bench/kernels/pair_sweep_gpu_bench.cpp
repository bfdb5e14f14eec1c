// Measures sweeps of pairs on GPUs: the time of the kernel and of the whole call.
//
//   warpseq-pair-gpu-bench [--gpus N] [--runs N]
//   MODE,LETTERS,ROWS,COLUMNS,CHECKPOINTS[,SHAPE[,PAIRS]] ...
//
// MODE is global, local (exact, without pruning), pruned (local), or pruned-related (with a target
// that is a relative of the query). LETTERS is dna (2/-3, gaps 5/2) or protein (BLOSUM62, gaps
// 11/1). CHECKPOINTS is the number of row checkpoints and of column checkpoints of the grid. SHAPE
// is the rows of a half as in kernels/pair/pair_sweep_plan_gpu.h, or w for the wide shape. With 0
// the plan chooses. PAIRS is the number of matrices in one call. Prints a table in Markdown. Times
// are medians.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "bench/kernels/gpu_bench.h"
#include "kernels/pair/pair_sweep_gpu.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"

namespace {

using namespace warpseq;
using warpseq::bench::must;

SubstitutionMatrix nucleotides() {
    SubstitutionMatrix::Table table;
    for (auto& row : table) row.fill(SubstitutionMatrix::kPaddingScore);
    for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t b = 0; b < 4; ++b) table[a][b] = a == b ? 2 : -3;
    }
    return {"nucleotides", table};
}

struct Pair {
    std::vector<ResidueCode> query, target;
};

Pair make_pair(Random& random, std::size_t rows, std::size_t columns, std::uint64_t letters, bool related) {
    Pair pair;
    const auto letter = [&] { return static_cast<ResidueCode>(random.below(letters)); };
    pair.query.resize(rows);
    for (ResidueCode& code : pair.query) code = letter();
    pair.target.reserve(columns);
    for (std::size_t i = 0; pair.target.size() < columns; ++i) {
        if (related && random.uniform() < 0.002) i += random.below(30);
        if (related && random.uniform() < 0.002) pair.target.insert(pair.target.end(), random.below(30), letter());
        pair.target.push_back(related && i < rows && random.uniform() > 0.02 ? pair.query[i] : letter());
    }
    pair.target.resize(columns);
    return pair;
}

void row(const std::string& text, const std::vector<int>& ordinals, int runs) {
    std::vector<std::string> fields;
    std::stringstream stream(text);
    for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
    if (fields.size() < 5) {
        std::fprintf(stderr, "not a case: %s\n", text.c_str());
        std::exit(2);
    }
    const bool dna = fields[1] == "dna", local = fields[0] != "global", pruned = fields[0].starts_with("pruned"),
               related = fields[0].ends_with("related");
    const std::uint64_t rows = std::stoull(fields[2]), columns = std::stoull(fields[3]),
                        checkpoints = std::stoull(fields[4]);
    const ScoringScheme scheme =
        dna ? ScoringScheme{nucleotides(), {5, 2}} : ScoringScheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    const PairScoring scoring{scheme, local};
    cuda::PairShape shape{};
    const bool forced = fields.size() > 5 && fields[5] != "0";
    if (forced) shape = fields[5] == "w" ? cuda::kWidePairShape : cuda::PairShape{std::atoi(fields[5].c_str()), false};
    const std::size_t pairs = fields.size() > 6 ? std::stoull(fields[6]) : 1;
    const auto sweeper = must(cuda::make_pair_sweeper(
        scoring, {.ordinals = ordinals, .shapes = std::vector<cuda::PairShape>(forced ? 1 : 0, shape)}));
    const std::uint64_t granule = sweeper->row_granule(rows, columns);
    Random random(rows + columns);
    std::vector<Pair> made;
    std::vector<SweepTask> tasks;
    made.reserve(pairs);
    for (std::size_t i = 0; i < pairs; ++i) {
        const Pair& pair = made.emplace_back(make_pair(random, rows, columns, dna ? 4 : 20, related));
        SweepTask task{.query = pair.query,
                       .target = pair.target,
                       .top = PairLine::beginning(columns, scheme.gaps, local),
                       .left = PairLine::beginning(rows, scheme.gaps, local)};
        task.row_step = checkpoints <= 1 ? rows : std::max<std::uint64_t>(1, rows / checkpoints / granule) * granule;
        task.column_step = (columns + checkpoints - 1) / checkpoints;
        task.reached_raw = pruned ? 0 : SweepTask::kNoPruning;
        tasks.push_back(task);
    }
    std::vector<float> kernel, whole;
    std::uint64_t checksum = 0;
    for (int run = 0; run <= runs; ++run) {
        const auto begun = std::chrono::steady_clock::now();
        const auto grids = must(sweeper->sweep(tasks, {}));
        const std::chrono::duration<float, std::milli> milliseconds = std::chrono::steady_clock::now() - begun;
        if (run > 0 || runs == 0) {
            whole.push_back(milliseconds.count());
            kernel.push_back(dynamic_cast<const cuda::PairKernelTime&>(*sweeper).kernel_milliseconds());
        }
        checksum = 0;
        for (const auto& grid : grids) {
            BorderCell cell{};
            must(grid->read_row_checkpoint(grid->row_blocks() - 1, columns, {&cell, 1}));
            checksum = checksum * 31 + static_cast<std::uint64_t>(cell.h);
            for (const std::int32_t maximum : grid->block_maxima_raw()) checksum += static_cast<std::uint64_t>(maximum);
        }
    }
    const double cells = static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(pairs);
    const auto kernel_ms = static_cast<double>(bench::median(kernel)),
               whole_ms = static_cast<double>(bench::median(whole));
    std::printf("| %s | %llu | %.3f | %.3f | %.3f | %.3f | %llx |\n", text.c_str(),
                static_cast<unsigned long long>(granule), kernel_ms, cells / kernel_ms / 1e9, whole_ms,
                cells / whole_ms / 1e9, static_cast<unsigned long long>(checksum));
    std::fflush(stdout);
}

int run(int argc, char** argv) {
    int gpus = 1, runs = 3;
    std::printf(
        "| case | strip | kernel ms | TCUPS | whole ms | TCUPS | checksum |\n| --- | --- | --- | --- | --- | --- | --- "
        "|\n");
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--gpus") == 0 && i + 1 < argc) {
            gpus = std::atoi(argv[++i]);
        } else if (std::strcmp(argv[i], "--runs") == 0 && i + 1 < argc) {
            runs = std::atoi(argv[++i]);
        } else {
            std::vector<int> ordinals;
            for (int gpu = 0; gpu < gpus; ++gpu) ordinals.push_back(gpu);
            row(argv[i], ordinals, runs);
        }
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv); }
