// Targets that a worker refuses: those of another GPU, those without the tables that its kernels
// need, and those that are on no GPU.
#include "kernels/gpu/device_targets.cuh"

#include <doctest/doctest.h>

#include <memory>

#include "tests/support/gpu.h"

using namespace warpseq;
using namespace warpseq::testing;
using namespace warpseq::cuda;

namespace {

struct OtherTargets final : DeviceTargets {
    std::uint64_t lanes() const override { return 0; }
};

}  // namespace

TEST_CASE("targets are refused that are elsewhere or lack tables") {
    TargetsOnDevice targets(1);
    targets.tables_set = TargetTables::kSequences;
    REQUIRE(targets_on(1, targets).ok());
    CHECK(*targets_on(1, targets) == &targets);
    CHECK(targets_on(1, targets, TargetTables::kSequences).ok());
    CHECK(targets_on(1, targets, TargetTables::kLanes).status().message() ==
          "GPU 1: the targets lack the tables that a kernel needs: a defect of warpseq, please report it");
    CHECK(targets_on(0, targets).status().message() ==
          "GPU 0: the targets are on GPU 1: a defect of warpseq, please report it");
    CHECK(targets_on(0, OtherTargets()).status().message() ==
          "GPU 0: the targets are not on a GPU: a defect of warpseq, please report it");
    cudaGetLastError();  // of a machine without a GPU 1
}

TEST_CASE("memory is used again only on the GPU that it is on") {
    if (!have_gpu()) return;
    Stream stream;
    REQUIRE(stream.open(0).ok());
    TargetUploader uploader(0);
    CHECK(uploader.upload({}, std::make_shared<TargetsOnDevice>(1), stream.get()).status().message() ==
          "GPU 0: memory that is to be used again is on GPU 1: a defect of warpseq, please report it");
    CHECK(uploader.upload({}, std::make_shared<OtherTargets>(), stream.get()).status().message() ==
          "GPU 0: memory that is to be used again is not on a GPU: a defect of warpseq, please report it");
    cudaGetLastError();  // of a machine without a GPU 1
    const auto uploaded = uploader.upload({}, nullptr, stream.get());
    REQUIRE_MESSAGE(uploaded.ok(), uploaded.status().message());
    const DeviceTargets* const first = uploaded->get();
    const auto again = uploader.upload({}, *uploaded, stream.get());
    REQUIRE(again.ok());
    CHECK(again->get() == first);
}
