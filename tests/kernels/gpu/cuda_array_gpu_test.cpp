// Arrays that grow ahead of need. If there is no room for more, they take only what is needed.
#include <doctest/doctest.h>

#include "kernels/gpu/memory.cuh"
#include "tests/support/gpu.h"

using namespace warpseq;
using namespace warpseq::testing;

TEST_CASE("an array that grows ahead of need has the exact size where a GPU has no room for more") {
    if (!have_gpu()) return;
    constexpr std::size_t kMiB = std::size_t{1} << 20;
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    cuda::DeviceArray<std::byte> array;
    REQUIRE(array.reserve_ahead(100 * kMiB) == cudaSuccess);
    CHECK(array.size() == 100 * kMiB);
    REQUIRE(array.reserve_ahead(110 * kMiB) == cudaSuccess);
    CHECK(array.size() == 150 * kMiB);

    REQUIRE(array.reserve(800 * kMiB) == cudaSuccess);
    std::size_t free_bytes = 0, total_bytes = 0;
    REQUIRE(cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess);
    REQUIRE(free_bytes > 300 * kMiB);
    // About 1,000 MiB are left to an array that would take 1,200.
    cuda::DeviceArray<std::byte> others;
    REQUIRE(others.reserve(free_bytes - 200 * kMiB) == cudaSuccess);
    REQUIRE(array.reserve_ahead(820 * kMiB) == cudaSuccess);
    CHECK(array.size() == 820 * kMiB);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(array.reserve_ahead(2000 * kMiB) == cudaErrorMemoryAllocation);
    CHECK(array.size() == 0);
}
