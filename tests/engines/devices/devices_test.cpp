#include "engines/devices/devices.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <vector>

#include "engines/devices/gpu_chunks.h"

using namespace warpseq;

TEST_CASE("the processes of a machine use all its GPUs, and each knows how many share a GPU") {
    for (const unsigned gpus : {1u, 2u, 3u, 4u, 8u}) {
        std::vector<int> ordinals;
        for (unsigned g = 0; g < gpus; ++g) ordinals.push_back(static_cast<int>(10 + g));
        for (unsigned processes = 1; processes <= 17; ++processes) {
            CAPTURE(gpus);
            CAPTURE(processes);
            std::map<int, unsigned> users, said;
            for (unsigned number = 0; number < processes; ++number) {
                const DeviceChoice choice = share_of_gpus(ordinals, {number, processes});
                CHECK_FALSE(choice.gpus.empty());
                for (const int ordinal : choice.gpus) {
                    ++users[ordinal];
                    said[ordinal] = choice.processes_per_gpu;
                }
            }
            CHECK(users.size() == gpus);
            CHECK(users == said);
        }
    }
}

TEST_CASE("a process plans with its part of the free memory, or of the limit") {
    const auto free = [](int ordinal) { return Result<std::uint64_t>(std::uint64_t{ordinal == 0 ? 8u : 16u} << 30); };
    const std::vector<int> both = {0, 1};
    const std::uint64_t alone = *gpu_budget_bytes(both, {}, free);
    CHECK(alone > std::uint64_t{7} << 30);
    CHECK(alone < std::uint64_t{8} << 30);
    CHECK(*gpu_budget_bytes(both, {.processes = 4}, free) == alone / 4);
    CHECK(*gpu_budget_bytes(both, {.bytes = 900}, free) == 900);
    CHECK(*gpu_budget_bytes(both, {.bytes = 900, .processes = 3}, free) == 300);
}
