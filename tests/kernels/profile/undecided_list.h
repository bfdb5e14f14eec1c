// Helpers for tests of the stages that decide a list's undecided items: targets on a GPU, a list,
// and its results.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "kernels/gpu/device_targets.cuh"
#include "kernels/gpu/memory.cuh"
#include "kernels/profile/work_list_gpu.cuh"
#include "libcore/base/random.h"
#include "tests/support/gpu.h"
#include "tests/support/random_profile.h"
#include "tests/support/random_proteins.h"
#include "tests/support/tile_builder.h"

namespace warpseq::testing {

/// Targets of many lengths and kinds, longest first. The first `linear` are linear tiles. There are
/// random proteins, pieces of the models once or several times over, all residue codes, nothing but
/// stops, and single residues.
struct MixedTargets {
    std::vector<Sequence> sequences;
    TileBuilder tiles;

    MixedTargets(Random& random, std::size_t count, std::size_t linear, std::span<const ProfileHmm> models) {
        for (std::size_t i = 0; i < count; ++i) {
            Sequence sequence = random_protein(random, 1 + random.below(i % 20 == 0 ? 1200 : 150));
            const std::size_t pieces = i % 3 == 0 ? 1 + random.below(4) : 0;
            for (std::size_t piece = 0; piece < pieces; ++piece) {
                const ProfileHmm& hmm = models[random.below(models.size())];
                const auto length = static_cast<std::size_t>(hmm.length);
                const std::size_t first = 1 + random.below(length);
                const std::size_t last = std::min(length, first + random.below(i % 2 == 0 ? 40 : 400));
                const Sequence planted = emitted(random, hmm, first, last);
                sequence.insert(sequence.end(), planted.begin(), planted.end());
                const Sequence between = random_protein(random, random.below(30));
                sequence.insert(sequence.end(), between.begin(), between.end());
            }
            if (i % 11 == 1) sequence = random_codes(random, 1 + random.below(100));
            if (i % 11 == 2) sequence[random.below(sequence.size())] = kCodeStop;
            sequences.push_back(std::move(sequence));
        }
        for (const ResidueCode code : {kCodeStop, kCodeX, kCodeB, kCodeZ, ResidueCode{0}, ResidueCode{18}}) {
            sequences.push_back({code});
            sequences.push_back(Sequence(7, code));
        }
        std::ranges::stable_sort(sequences, std::ranges::greater(), [](const Sequence& s) { return s.size(); });
        linear = std::min(linear, sequences.size());
        for (std::size_t i = 0; i < linear; ++i) tiles.add_linear(sequences[i]);
        for (std::size_t first = linear; first < sequences.size(); first += kTileLanes)
            tiles.add_interleaved(
                std::span(sequences).subspan(first, std::min<std::size_t>(kTileLanes, sequences.size() - first)));
    }
};

/// A list of some of the pairs of `profiles` profiles and the targets. Some of its results are
/// undecided.
struct UndecidedList {
    static constexpr std::int16_t kKept = 4321;  // the value of results that are decided and must stay

    std::vector<std::uint32_t> slots;
    std::vector<std::int16_t> results;

    UndecidedList(Random& random, std::size_t profiles, std::size_t lanes) {
        for (std::uint32_t slot = 0; slot < profiles * lanes; ++slot) {
            if (random.below(8) == 0) continue;
            slots.push_back(slot);
            results.push_back(random.below(4) == 0 ? kKept : cuda::kUndecided);
        }
    }
};

/// Runs `stage` on the list and returns its results. `Move` is the type of MsvProfile::move or
/// ViterbiProfile::move.
template <typename Move, typename Stage>
std::vector<std::int16_t> decide(Stage& stage, const MixedTargets& targets, const UndecidedList& list,
                                 std::size_t profiles, const std::function<Move(std::uint64_t)>& move_of) {
    cuda::TargetUploader uploader(0, cuda::TargetTables::kLanes);
    cudaStream_t stream = nullptr;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    const auto uploaded = uploader.upload(targets.tiles.views(), nullptr, stream);
    REQUIRE_MESSAGE(uploaded.ok(), uploaded.status().message());
    const auto& on_device = static_cast<const cuda::TargetsOnDevice&>(**uploaded);

    std::vector<Move> moves;
    for (const std::uint64_t residues : on_device.distinct_lengths) moves.push_back(move_of(residues));
    const auto count = static_cast<std::uint32_t>(list.slots.size());
    cuda::DeviceArray<Move> device_moves;
    cuda::DeviceArray<std::uint32_t> slots, device_count;
    cuda::DeviceArray<std::int16_t> results;
    const auto copy = [&](auto& array, const auto* from, std::size_t size) {
        REQUIRE(array.reserve(size) == cudaSuccess);
        REQUIRE(cudaMemcpyAsync(array.data(), from, size * sizeof(*from), cudaMemcpyHostToDevice, stream) ==
                cudaSuccess);
    };
    copy(device_moves, moves.data(), moves.size());
    copy(slots, list.slots.data(), count);
    copy(device_count, &count, 1);
    copy(results, list.results.data(), count);
    // The list's capacity is larger than its size. The number on the device counts.
    const cuda::DeviceWorkList device_list{slots.data(),
                                           device_count.data(),
                                           count + 100,
                                           count + 200,
                                           static_cast<std::uint32_t>(targets.sequences.size()),
                                           static_cast<std::uint32_t>(profiles)};
    const Status status = stage.score(on_device, device_list, device_moves.data(), results.data(), stream);
    REQUIRE_MESSAGE(status.ok(), status.message());
    std::vector<std::int16_t> decided(count);
    REQUIRE(cudaMemcpyAsync(decided.data(), results.data(), count * sizeof(std::int16_t), cudaMemcpyDeviceToHost,
                            stream) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
    cudaStreamDestroy(stream);
    return decided;
}

/// Returns the results that the stage should have. An undecided one is expected(profile, target),
/// and any other is kKept. Uses all of the host's cores.
inline std::vector<std::int16_t> expected_results(
    const MixedTargets& targets, const UndecidedList& list,
    const std::function<std::int16_t(std::size_t, const Sequence&)>& expected) {
    std::vector<std::int16_t> results(list.slots.size());
    std::vector<std::thread> threads;
    const unsigned count = std::max(1u, std::thread::hardware_concurrency());
    for (unsigned thread = 0; thread < count; ++thread) {
        threads.emplace_back([&, thread] {
            for (std::size_t i = thread; i < results.size(); i += count) {
                const std::size_t lanes = targets.sequences.size();
                results[i] = list.results[i] == cuda::kUndecided
                                 ? expected(list.slots[i] / lanes, targets.sequences[list.slots[i] % lanes])
                                 : UndecidedList::kKept;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    return results;
}

}  // namespace warpseq::testing
