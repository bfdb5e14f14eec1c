// Fake GPUs for tests of the host's part of GPU searches. They keep targets as sequences and
// compute with the CPU's kernels. They fail, throw, are slow or short of memory if a test asks for
// it. They call no driver.
#pragma once

#include <doctest/doctest.h>
#include <sys/types.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "engines/sw/sw_gpu_scan.h"
#include "kernels/gpu/device_targets.h"
#include "kernels/smith_waterman/smith_waterman.h"
#include "kernels/smith_waterman/smith_waterman_gpu.h"
#include "libcore/base/status.h"
#include "libcore/sequence/tile.h"
#include "tests/support/random_proteins.h"
#include "tests/support/tile_builder.h"

namespace warpseq::testing {

/// The behaviour of the fake GPUs, and counts of their calls. It must outlive them and all targets.
struct FakeMachine {
    /// One GPU of the machine.
    struct Gpu {
        std::uint64_t free_bytes = std::uint64_t{8} << 30;                                // reported as free
        std::uint64_t room_bytes = std::numeric_limits<std::uint64_t>::max();             // for targets, in fact
        std::uint64_t largest_reserve_bytes = std::numeric_limits<std::uint64_t>::max();  // largest that succeeds
        std::uint64_t claimed_lanes = 0;     // number of lanes that its targets report; 0 for the true number
        std::chrono::milliseconds delay{0};  // duration of each kernel
        std::atomic<std::uint64_t> used_bytes = 0, most_used_bytes = 0, most_lanes = 0;
        std::atomic<int> kernels = 0;
    };
    static constexpr int kNever = -1;

    explicit FakeMachine(std::size_t count = 1) : gpus(count) {}

    std::vector<Gpu> gpus;
    /// Numbers of a kernel or copy, from 0. That call returns an error, or throws bad_alloc.
    int failing_kernel = kNever, throwing_kernel = kNever, failing_upload = kNever, throwing_upload = kNever;
    int throwing_batch = kNever;                     // number of the batch that throws when it is made
    bool pins = true;                                // whether GPUs can copy directly from host pages
    std::function<void(int number)> at_kernel = {};  // called first by each kernel
    std::atomic<int> kernels = 0, uploads = 0, ranges = 0, tiles_in_pages = 0, tiles_copied = 0, reuses = 0,
                     refused_uploads = 0, reserves = 0, batches = 0;
    std::atomic<std::uint64_t> longest_gathered = 0;  // residues of the longest target that was gathered

    static Status failure() { return Status::unavailable("the fake GPU fails"); }

    Result<std::uint64_t> free_bytes(int ordinal) const {
        if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= gpus.size())
            return Status::unavailable("no such fake GPU");
        return gpus[static_cast<std::size_t>(ordinal)].free_bytes;
    }

    /// Counts a kernel, and waits or fails as the test asks. Every kernel of a GPU calls it first.
    Status begin_kernel(Gpu& gpu) {
        const int number = kernels++;
        ++gpu.kernels;
        if (at_kernel) at_kernel(number);
        if (gpu.delay.count() > 0) std::this_thread::sleep_for(gpu.delay);
        if (number == throwing_kernel) throw std::bad_alloc();
        return number == failing_kernel ? failure() : Status();
    }
};

/// Targets on a fake GPU.
struct FakeTargets final : cuda::DeviceTargets {
    explicit FakeTargets(FakeMachine::Gpu& on_gpu) : gpu(on_gpu) {}
    ~FakeTargets() override { gpu.used_bytes -= bytes; }
    FakeTargets(const FakeTargets&) = delete;
    FakeTargets& operator=(const FakeTargets&) = delete;
    std::uint64_t lanes() const override { return gpu.claimed_lanes != 0 ? gpu.claimed_lanes : sequences.size(); }

    FakeMachine::Gpu& gpu;
    std::vector<Sequence> sequences;
    std::uint64_t bytes = 0;
};

/// Host pages from which everything can be copied directly, or nothing.
class FakePages final : public cuda::PinnedPages {
   public:
    FakePages(FakeMachine& machine, std::span<const std::uint8_t> range, std::uint64_t most_bytes)
        : range_(range), pins_(machine.pins) {
        CHECK(most_bytes >= range.size());  // the limit counts whole pages, and this much memory there is
        ++machine.ranges;
    }
    std::size_t pin(const std::uint8_t* from) override {
        return !pins_ || from < range_.data() || from >= range_.data() + range_.size()
                   ? 0
                   : static_cast<std::size_t>(range_.data() + range_.size() - from);
    }

   private:
    std::span<const std::uint8_t> range_;
    bool pins_;
};

/// Does the work of every fake GPU's upload().
inline Result<std::shared_ptr<cuda::DeviceTargets>> fake_upload(FakeMachine& machine, FakeMachine::Gpu& gpu,
                                                                std::span<const TileView> tiles,
                                                                std::shared_ptr<cuda::DeviceTargets> reuse,
                                                                const cuda::UploadSource& source) {
    const int number = machine.uploads++;
    if (number == machine.throwing_upload) throw std::bad_alloc();
    if (number == machine.failing_upload) return FakeMachine::failure();
    machine.reuses += reuse != nullptr;
    for (const TileView& tile : tiles) {
        const auto* const first = reinterpret_cast<const std::uint8_t*>(tile.words.data());
        if (source.pages != nullptr && source.pages->pin(first) >= tile.words.size_bytes()) {
            ++machine.tiles_in_pages;
        } else if (source.copy) {
            std::vector<std::uint32_t> words(tile.words.size());
            WARPSEQ_TRY(source.copy(reinterpret_cast<std::uint8_t*>(words.data()), {first, tile.words.size_bytes()}));
            const bool same = std::ranges::equal(words, tile.words);
            CHECK(same);
            ++machine.tiles_copied;
        }
    }
    if (source.meanwhile) WARPSEQ_TRY(source.meanwhile());
    std::uint64_t bytes = 0;
    for (const TileView& tile : tiles) bytes += tile.words.size_bytes();
    auto targets = reuse ? std::static_pointer_cast<FakeTargets>(reuse) : std::make_shared<FakeTargets>(gpu);
    if (&targets->gpu != &gpu) return Status::unavailable("these targets are on another GPU");
    const std::uint64_t more = std::max(bytes, targets->bytes) - targets->bytes;
    // Refused memory is never taken, not even briefly, because another worker may ask meanwhile.
    std::uint64_t before = gpu.used_bytes;
    do {
        if (before + more > gpu.room_bytes) {
            ++machine.refused_uploads;
            return Status::unavailable("the fake GPU has no memory left");
        }
    } while (!gpu.used_bytes.compare_exchange_weak(before, before + more));
    const std::uint64_t used = before + more;
    for (std::uint64_t most = gpu.most_used_bytes;
         used > most && !gpu.most_used_bytes.compare_exchange_weak(most, used);) {
    }
    targets->bytes += more;
    targets->sequences.clear();
    for (const TileView& tile : tiles) {
        for (std::uint32_t lane = 0; lane < tile.lanes(); ++lane) {
            Sequence& sequence = targets->sequences.emplace_back(tile.lengths_residues[lane]);
            unpack_lane(tile, lane, sequence.data());
        }
    }
    for (std::uint64_t most = gpu.most_lanes;
         targets->sequences.size() > most && !gpu.most_lanes.compare_exchange_weak(most, targets->sequences.size());) {
    }
    return std::shared_ptr<cuda::DeviceTargets>(std::move(targets));
}

/// The queries of a SmithWatermanBatch for fake GPUs. Only a fake GPU follows the batch's pointer.
struct FakeScores {
    std::vector<std::unique_ptr<SmithWatermanScorer>> queries;
};

class FakeSmithWatermanGpu final : public cuda::SmithWatermanGpu {
   public:
    FakeSmithWatermanGpu(FakeMachine& machine, int ordinal)
        : machine_(machine), gpu_(machine.gpus[static_cast<std::size_t>(ordinal)]) {}

    Status reserve(std::uint64_t chunk_bytes) override {
        ++machine_.reserves;
        return chunk_bytes <= gpu_.largest_reserve_bytes ? Status()
                                                         : Status::unavailable("the fake GPU has no memory left");
    }

    Result<std::shared_ptr<cuda::DeviceTargets>> upload(std::span<const TileView> tiles,
                                                        std::shared_ptr<cuda::DeviceTargets> reuse,
                                                        const cuda::UploadSource& source) override {
        return fake_upload(machine_, gpu_, tiles, std::move(reuse), source);
    }

    /// Counts as a copy of targets.
    Result<std::shared_ptr<cuda::DeviceTargets>> gather(const cuda::DeviceTargets& from,
                                                        std::span<const cuda::TargetLane> lanes,
                                                        std::shared_ptr<cuda::DeviceTargets> reuse) override {
        const auto& on_gpu = static_cast<const FakeTargets&>(from);
        if (&on_gpu.gpu != &gpu_) return Status::unavailable("these targets are on another GPU");
        TileBuilder tiles;
        std::vector<Sequence> members;
        for (const cuda::TargetLane& lane : lanes) {
            members.push_back(on_gpu.sequences[lane.lane]);
            const bool is_in_order = members.back().size() == lane.residues &&
                                     (members.size() == 1 || members[members.size() - 2].size() >= lane.residues);
            CHECK(is_in_order);
        }
        for (std::size_t first = 0; first < members.size(); first += kTileLanes)
            tiles.add_interleaved(
                std::span(members).subspan(first, std::min<std::size_t>(kTileLanes, members.size() - first)));
        for (std::uint64_t longest = machine_.longest_gathered, residues = members.front().size();
             residues > longest && !machine_.longest_gathered.compare_exchange_weak(longest, residues);) {
        }
        return fake_upload(machine_, gpu_, tiles.views(), std::move(reuse), {});
    }

    Result<std::span<const std::uint16_t>> score(const std::shared_ptr<const cuda::SmithWatermanBatch>& handle,
                                                 const cuda::DeviceTargets& targets) override {
        WARPSEQ_TRY(machine_.begin_kernel(gpu_));
        const auto& on_gpu = static_cast<const FakeTargets&>(targets);
        if (&on_gpu.gpu != &gpu_) return Status::unavailable("these targets are on another GPU");
        const auto& batch = *reinterpret_cast<const FakeScores*>(handle.get());
        scores_.clear();
        for (const auto& query : batch.queries) {
            for (const Sequence& target : on_gpu.sequences) {
                const std::uint64_t length = target.size();
                std::vector<std::uint32_t> words(tile_words(TileLayout::kLinear, length));
                pack_lane(target, words.data(), words.size(), 0, 1);
                const TileView tile{words, std::span(&length, 1), words_for(length), 0, TileLayout::kLinear};
                std::int32_t score_raw = 0;
                query->score(std::span(&tile, 1), *query->make_workspace(), std::span(&score_raw, 1));
                // A saturated score may come back as any number from kSaturatedScore on.
                scores_.push_back(
                    static_cast<std::uint16_t>(std::min<std::int32_t>(score_raw, cuda::kSaturatedScore + 7)));
            }
        }
        return std::span<const std::uint16_t>(scores_);
    }

    float kernel_milliseconds() const override { return 1; }

   private:
    FakeMachine& machine_;
    FakeMachine::Gpu& gpu_;
    std::vector<std::uint16_t> scores_;
};

inline SwGpus fake_sw_gpus(FakeMachine& machine) {
    SwGpus gpus;
    gpus.create = [&machine](int ordinal) -> Result<std::unique_ptr<cuda::SmithWatermanGpu>> {
        if (const auto there = machine.free_bytes(ordinal); !there.ok()) return there.status();
        return std::unique_ptr<cuda::SmithWatermanGpu>(std::make_unique<FakeSmithWatermanGpu>(machine, ordinal));
    };
    gpus.free_memory_bytes = [&machine](int ordinal) { return machine.free_bytes(ordinal); };
    gpus.make_batch = [&machine](std::span<const std::span<const ResidueCode>> queries, const ScoringScheme& scheme) {
        if (machine.batches++ == machine.throwing_batch) throw std::bad_alloc();
        auto batch = std::make_shared<FakeScores>();
        for (const auto& query : queries)
            batch->queries.push_back(*make_smith_waterman_scorer(CpuBackend::kPortable, std::span(&query, 1), scheme));
        const auto* const handle = reinterpret_cast<const cuda::SmithWatermanBatch*>(batch.get());
        return std::shared_ptr<const cuda::SmithWatermanBatch>(std::move(batch), handle);
    };
    gpus.workspace_bytes = [](std::uint64_t chunk_bytes) { return chunk_bytes; };
    gpus.pin = [&machine](std::span<const std::uint8_t> range, std::uint64_t most_bytes) {
        return std::make_unique<FakePages>(machine, range, most_bytes);
    };
    return gpus;
}

/// Returns the number of this process's threads.
inline std::ptrdiff_t thread_count() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

}  // namespace warpseq::testing
