// The choice of --device auto. The test compares the model with times of whole programs on 16
// threads with AVX-512 and one H200 (docs/performance.md), and checks that the faster device is
// chosen.
#include "engines/devices/device_costs.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engines/devices/gpu_chunks.h"
#include "engines/targets/database_set.h"
#include "tests/support/make_database.h"
#include "tests/support/random_proteins.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;

namespace {

constexpr unsigned kThreads = 16;

struct Case {
    const SearchSpeed* speed;
    std::uint64_t query_residues, target_residues;
    double cpu_seconds, gpu_seconds;  // 25 if the run was stopped then
};

// Measured times. Each size has 1, 10 and 100 proteins with sw, then 1, 10 and 67 profiles and 10
// proteins with hmm, then 1, 10 and 100 proteins with blastp.
constexpr Case kMeasured[] = {
    {&kSwSpeed, 492, 20'000'000, 0.066, 0.365},          {&kSwSpeed, 4'929, 20'000'000, 0.266, 0.365},
    {&kSwSpeed, 47'993, 20'000'000, 2.719, 0.666},       {&kHmmSpeed, 235, 20'000'000, 0.018, 0.365},
    {&kHmmSpeed, 2'356, 20'000'000, 0.116, 0.365},       {&kHmmSpeed, 42'654, 20'000'000, 1.320, 0.968},
    {&kHmmSpeed, 4'929, 20'000'000, 0.167, 0.416},       {&kBlastpSpeed, 492, 20'000'000, 0.035, 0.365},
    {&kBlastpSpeed, 4'929, 20'000'000, 0.115, 0.515},    {&kBlastpSpeed, 47'993, 20'000'000, 0.969, 0.718},
    {&kSwSpeed, 492, 200'000'000, 0.318, 0.415},         {&kSwSpeed, 4'929, 200'000'000, 2.676, 0.566},
    {&kSwSpeed, 47'993, 200'000'000, 24.542, 1.872},     {&kHmmSpeed, 235, 200'000'000, 0.116, 0.415},
    {&kHmmSpeed, 2'356, 200'000'000, 0.568, 0.465},      {&kHmmSpeed, 42'654, 200'000'000, 9.099, 1.272},
    {&kHmmSpeed, 4'929, 200'000'000, 0.969, 0.516},      {&kBlastpSpeed, 492, 200'000'000, 0.115, 0.365},
    {&kBlastpSpeed, 4'929, 200'000'000, 0.868, 0.568},   {&kBlastpSpeed, 47'993, 200'000'000, 6.535, 1.072},
    {&kSwSpeed, 492, 2'000'000'000, 2.572, 0.717},       {&kSwSpeed, 4'929, 2'000'000'000, 25, 1.820},
    {&kSwSpeed, 47'993, 2'000'000'000, 25, 12.906},      {&kHmmSpeed, 235, 2'000'000'000, 0.726, 0.666},
    {&kHmmSpeed, 2'356, 2'000'000'000, 5.740, 1.218},    {&kHmmSpeed, 42'654, 2'000'000'000, 25, 6.389},
    {&kHmmSpeed, 4'929, 2'000'000'000, 9.300, 1.376},    {&kBlastpSpeed, 492, 2'000'000'000, 0.869, 0.666},
    {&kBlastpSpeed, 4'929, 2'000'000'000, 7.987, 1.476}, {&kBlastpSpeed, 47'993, 2'000'000'000, 25, 4.546},
};

bool takes_gpu(const Case& each) {
    const SearchSize size{each.query_residues, each.target_residues};
    return gpu_seconds(*each.speed, size, 1) < cpu_seconds(*each.speed, size, kThreads, CpuBackend::kAvx512);
}

}  // namespace

TEST_CASE("the chosen device is never more than 15 percent slower than the better one") {
    unsigned gpu_cases = 0;
    for (const Case& each : kMeasured) {
        const bool gpu = takes_gpu(each);
        gpu_cases += gpu;
        CAPTURE(each.query_residues);
        CAPTURE(each.target_residues);
        CAPTURE(each.cpu_seconds);
        CHECK((gpu ? each.gpu_seconds : each.cpu_seconds) <= 1.15 * std::min(each.cpu_seconds, each.gpu_seconds));
    }
    CHECK(gpu_cases > 5);
    CHECK(gpu_cases < std::size(kMeasured) - 5);
}

TEST_CASE("more threads and vectors make the CPU quicker, more GPUs the GPUs, and unknown queries get a size") {
    const SearchSize size{4'000, 200'000'000};
    CHECK(cpu_seconds(kSwSpeed, size, 32, CpuBackend::kAvx512) < cpu_seconds(kSwSpeed, size, 16, CpuBackend::kAvx512));
    CHECK(cpu_seconds(kSwSpeed, size, 16, CpuBackend::kAvx512) < cpu_seconds(kSwSpeed, size, 16, CpuBackend::kAvx2));
    CHECK(cpu_seconds(kSwSpeed, size, 16, CpuBackend::kSse41) < cpu_seconds(kSwSpeed, size, 16, CpuBackend::kPortable));
    CHECK(cpu_seconds(kSwSpeed, size, 0, CpuBackend::kAvx2) == cpu_seconds(kSwSpeed, size, 1, CpuBackend::kAvx2));
    CHECK(gpu_seconds(kSwSpeed, size, 2) < gpu_seconds(kSwSpeed, size, 1));
    const SearchSize unknown{0, 200'000'000};
    CHECK(gpu_seconds(kSwSpeed, unknown, 1) == gpu_seconds(kSwSpeed, size, 1));
    // Huge sizes do not overflow.
    const SearchSize huge{~std::uint64_t{0}, ~std::uint64_t{0}};
    CHECK(gpu_seconds(kSwSpeed, huge, 1) < cpu_seconds(kSwSpeed, huge, 100, CpuBackend::kAvx512));
    CHECK(cpu_seconds(kHmmSpeed, {400, 0}, 16, CpuBackend::kAvx2) < gpu_seconds(kHmmSpeed, {400, 0}, 8));
}

TEST_CASE("for a list, the CPU compares the tiles with a member, and a GPU the chunks") {
    const testing::ScratchFolder folder;
    Random random(4);
    for (const char* const name : {"a.wsdb", "b.wsdb"}) {
        std::vector<testing::TestSequence> sequences;
        for (int i = 0; i < 1000; ++i) sequences.push_back({"s", testing::random_protein(random, random.below(300))});
        testing::make_database(folder.path(name), sequences);
    }
    DatabaseSet databases = *DatabaseSet::open({folder.path("a.wsdb"), folder.path("b.wsdb")});
    const ComparedResidues all = compared_residues(databases);
    CHECK(all.by_cpu == databases.residue_count());
    CHECK(all.by_gpus == databases.residue_count());

    // The members are ends of tiles, neighbours, and none of the first database.
    const WsdbReader& reader = databases.reader(1);
    const auto members = [&](const std::vector<std::uint64_t>& ranks) {
        std::vector<TargetMembers> of_each{TargetMembers(1000), TargetMembers(1000)};
        for (const std::uint64_t rank : ranks) of_each[1].add(rank);
        return of_each;
    };
    databases.restrict_search(members({0, 31, 32, 33, 500, 999}));
    const ComparedResidues some = compared_residues(databases);
    std::uint64_t expected = 0;
    for (std::uint64_t tile = 0; tile < reader.tile_count(); ++tile)
        if (databases.is_tile_searched(1, tile)) expected += reader.tile_residues(tile);
    CHECK(some.by_cpu == expected);
    CHECK(some.by_cpu < databases.residue_count(1) / 3);
    CHECK(some.by_gpus == databases.residue_count(1));  // a chunk
    databases.restrict_search(members({}));
    CHECK(compared_residues(databases).by_cpu == 0);
    CHECK(compared_residues(databases).by_gpus == 0);
}
