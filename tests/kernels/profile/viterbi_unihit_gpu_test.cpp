// The GPU's Viterbi unihit stage, compared with the host's, through every shape of the kernel.
// Prints a note if there is no GPU.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <span>
#include <vector>

#include "kernels/gpu/device.h"
#include "kernels/gpu/device_targets.cuh"
#include "kernels/gpu/memory.cuh"
#include "kernels/profile/profile_filters_gpu.h"
#include "kernels/profile/viterbi_filter.h"
#include "kernels/profile/viterbi_filter_reference.h"
#include "kernels/profile/viterbi_unihit_stage_gpu.cuh"
#include "kernels/profile/work_list_gpu.cuh"
#include "libcore/base/random.h"
#include "libcore/profile/plan7_profile.h"
#include "tests/support/gpu.h"
#include "tests/support/random_profile.h"
#include "tests/support/random_proteins.h"
#include "tests/support/tile_builder.h"
#include "tests/support/viterbi_domains.h"

using namespace warpseq;
using namespace warpseq::cuda;
using namespace warpseq::testing;

namespace {

/// Whether the kernel has a reason not to decide a target, which is a stop or two domains.
bool has_reason(const ViterbiProfile& profile, const Sequence& target) {
    if (std::ranges::find(target, kCodeStop) != target.end()) return true;
    const SingleDomain first = best_single_domain(profile, target, 0, kViterbiHarmless);
    if (first.first_exceeding == target.size()) return false;
    const std::size_t word = first.first_exceeding / kResiduesPerWord * kResiduesPerWord;
    return best_single_domain(profile, target, word, kViterbiHarmless).best > kViterbiHarmless;
}

/// Targets of many lengths, longest first, a few of them linear, a third with pieces of the models.
struct Targets {
    std::vector<Sequence> sequences;
    TileBuilder tiles;

    Targets(Random& random, std::size_t count, std::size_t linear, std::size_t most_residues,
            const std::vector<ProfileHmm>& models) {
        for (std::size_t i = 0; i < count; ++i) {
            Sequence sequence = random_protein(random, 1 + random.below(most_residues));
            if (i % 3 == 0 && !models.empty()) {
                const ProfileHmm& hmm = models[random.below(models.size())];
                const auto length = static_cast<std::size_t>(hmm.length);
                const std::size_t first = 1 + random.below(length),
                                  nodes = 1 + random.below(std::min<std::size_t>(length - first + 1, 60));
                const Sequence planted = emitted(random, hmm, first, first + nodes - 1);
                for (std::uint64_t copies = random.below(4) == 0 ? 2 : 1; copies > 0; --copies)
                    sequence.insert(sequence.begin() + static_cast<std::ptrdiff_t>(random.below(sequence.size() + 1)),
                                    planted.begin(), planted.end());
            }
            sequences.push_back(std::move(sequence));
        }
        arrange(linear);
    }
    Targets(std::vector<Sequence> given, std::size_t linear) : sequences(std::move(given)) { arrange(linear); }

    void arrange(std::size_t linear) {
        std::ranges::stable_sort(sequences, std::ranges::greater(), [](const Sequence& s) { return s.size(); });
        linear = std::min(linear, sequences.size());
        for (std::size_t i = 0; i < linear; ++i) tiles.add_linear(sequences[i]);
        for (std::size_t first = linear; first < sequences.size(); first += kTileLanes)
            tiles.add_interleaved(
                std::span(sequences).subspan(first, std::min<std::size_t>(kTileLanes, sequences.size() - first)));
    }
};

struct Gpu {
    cudaStream_t stream = nullptr;
    TargetUploader uploader{0, TargetTables::kLanes};
    ViterbiUnihitStage stage{0, kAmpleScratchBytes};
    DeviceArray<std::uint32_t> slots, count;
    DeviceArray<std::int16_t> results;

    Gpu() { REQUIRE(cudaStreamCreate(&stream) == cudaSuccess); }
    ~Gpu() { cudaStreamDestroy(stream); }
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    std::shared_ptr<DeviceTargets> upload(const Targets& targets) {
        auto uploaded = uploader.upload(targets.tiles.views(), nullptr, stream);
        REQUIRE_MESSAGE(uploaded.ok(), uploaded.status().message());
        return *uploaded;
    }

    /// Returns the results of a list that begins at `list`. Results that the stage does not write
    /// stay 12345.
    std::vector<std::int16_t> score(const ViterbiUnihitTables& tables, const DeviceTargets& targets,
                                    const std::vector<std::uint32_t>& list) {
        std::vector<std::int16_t> found(list.size() + 8, 12345);
        const auto listed = static_cast<std::uint32_t>(list.size());
        REQUIRE(slots.reserve(found.size()) == cudaSuccess);
        REQUIRE(count.reserve(1) == cudaSuccess);
        REQUIRE(results.reserve(found.size()) == cudaSuccess);
        REQUIRE(cudaMemcpy(slots.data(), list.data(), list.size() * sizeof(list[0]), cudaMemcpyHostToDevice) ==
                cudaSuccess);
        REQUIRE(cudaMemcpy(count.data(), &listed, sizeof listed, cudaMemcpyHostToDevice) == cudaSuccess);
        REQUIRE(cudaMemcpy(results.data(), found.data(), found.size() * sizeof(found[0]), cudaMemcpyHostToDevice) ==
                cudaSuccess);
        const auto& on_device = static_cast<const TargetsOnDevice&>(targets);
        const Status prepared = stage.prepare(tables, stream);
        REQUIRE_MESSAGE(prepared.ok(), prepared.message());
        const DeviceWorkList work{slots.data(),
                                  count.data(),
                                  static_cast<std::uint32_t>(found.size()),
                                  static_cast<std::uint32_t>(found.size()),
                                  static_cast<std::uint32_t>(on_device.lane_count),
                                  static_cast<std::uint32_t>(tables.profile_count())};
        const Status scored = stage.score(on_device, work, results.data(), stream);
        REQUIRE_MESSAGE(scored.ok(), scored.message());
        REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
        REQUIRE(cudaMemcpy(found.data(), results.data(), found.size() * sizeof(found[0]), cudaMemcpyDeviceToHost) ==
                cudaSuccess);
        for (std::size_t i = list.size(); i < found.size(); ++i) REQUIRE(found[i] == 12345);
        found.resize(list.size());
        return found;
    }
};

struct Comparison {
    std::size_t compared = 0, wrong = 0, high = 0, overflows = 0, undecided = 0, undecided_for_nothing = 0;
};

std::vector<ViterbiProfile> quantised(const std::vector<ProfileHmm>& models) {
    std::vector<ViterbiProfile> profiles;
    for (const ProfileHmm& model : models) profiles.push_back(quantise_viterbi(configure_plan7(model)));
    return profiles;
}

ViterbiUnihitTables tables_of(const std::vector<ViterbiProfile>& profiles, const ViterbiUnihitShape* shape) {
    std::vector<const ViterbiProfile*> pointers;
    for (const ViterbiProfile& profile : profiles) pointers.push_back(&profile);
    return ViterbiUnihitTables(pointers, shape);
}

/// Compares the results of a list of pairs. Each pair is in the list with a probability of
/// `kept_of_8` / 8.
Comparison compare(Gpu& gpu, Random& random, const Targets& targets, const std::vector<ViterbiProfile>& profiles,
                   const ViterbiUnihitShape* shape, std::uint64_t kept_of_8) {
    const ViterbiUnihitTables tables = tables_of(profiles, shape);
    const auto uploaded = gpu.upload(targets);
    std::vector<std::uint32_t> list;
    for (std::size_t slot = 0; slot < profiles.size() * targets.sequences.size(); ++slot) {
        if (random.below(8) < kept_of_8) list.push_back(static_cast<std::uint32_t>(slot));
    }
    const std::vector<std::int16_t> found = gpu.score(tables, *uploaded, list);

    Comparison comparison;
    std::size_t next = 0;
    for (std::size_t p = 0; p < profiles.size(); ++p) {
        const auto filter = make_viterbi_filter(runnable_cpu_backends().back(), profiles[p]);
        const auto workspace = filter->make_workspace();
        std::vector<std::span<const ResidueCode>> listed;
        const std::size_t begin = next;
        for (; next < list.size() && list[next] / targets.sequences.size() == p; ++next)
            listed.push_back(targets.sequences[list[next] % targets.sequences.size()]);
        std::vector<std::int16_t> expected(listed.size());
        filter->score(listed, *workspace, expected);
        for (std::size_t i = 0; i < listed.size(); ++i) {
            ++comparison.compared;
            if (found[begin + i] != kUndecided) {
                comparison.wrong += found[begin + i] != expected[i];
                comparison.overflows += found[begin + i] == kViterbiOverflow;
                comparison.high += found[begin + i] > kViterbiHarmless;
                continue;
            }
            ++comparison.undecided;
            const Sequence& target = targets.sequences[list[begin + i] % targets.sequences.size()];
            if (tables.fits()[p] != 0) comparison.undecided_for_nothing += !has_reason(profiles[p], target);
        }
    }
    REQUIRE(next == list.size());
    return comparison;
}

}  // namespace

TEST_CASE("Viterbi on the GPU: every shape, targets with and without pieces of the models") {
    if (!have_gpu()) return;
    Gpu gpu;
    Random random(31);
    for (const ViterbiUnihitShape& shape : viterbi_unihit_shapes()) {
        const int rows = shape.group_threads * shape.rows_per_thread;
        std::vector<ProfileHmm> models;
        for (const int length : {1, 2, shape.rows_per_thread, shape.rows_per_thread + 1, rows - 1, rows, rows + 1,
                                 2 * rows, 3 * rows - 5, 6 * rows + 1}) {
            if (length <= rows || shape.group_threads >= kViterbiUnihitPassThreads)
                models.push_back(random_profile(random, length));
        }
        const Targets targets(random, 230, 3, 700, models);
        const Comparison comparison = compare(gpu, random, targets, quantised(models), &shape, 7);
        CAPTURE(shape.group_threads);
        CAPTURE(shape.rows_per_thread);
        CHECK(comparison.wrong == 0);
        CHECK(comparison.undecided_for_nothing == 0);
        CHECK(comparison.undecided > 0);
        CHECK(comparison.undecided < comparison.compared / 20);
        CHECK(comparison.high > 0);
    }
}

TEST_CASE("Viterbi on the GPU: models of every length, fifty in a batch") {
    if (!have_gpu()) return;
    Gpu gpu;
    Random random(32);
    std::size_t undecided = 0, compared = 0;
    for (int first = 1; first <= 600; first += 50) {
        std::vector<ProfileHmm> models;
        for (int length = first; length < first + 50; ++length) models.push_back(random_profile(random, length));
        const Targets targets(random, 90, 2, 260, models);
        const Comparison comparison = compare(gpu, random, targets, quantised(models), nullptr, 4);
        CAPTURE(first);
        REQUIRE(comparison.wrong == 0);
        REQUIRE(comparison.undecided_for_nothing == 0);
        undecided += comparison.undecided;
        compared += comparison.compared;
    }
    // Few pairs are related, because targets have pieces of other models.
    CHECK(undecided > 0);
    CHECK(undecided < compared / 50);
}

TEST_CASE("Viterbi on the GPU: long models, long targets") {
    if (!have_gpu()) return;
    Gpu gpu;
    Random random(33);
    std::vector<ProfileHmm> models;
    for (const int length : {767, 769, 1100, 1601, 2405, 3000, 4096, 4200})
        models.push_back(random_profile(random, length));
    Targets targets(random, 60, 2, 900, models);
    std::vector<Sequence> sequences = targets.sequences;
    sequences.push_back(emitted(random, models[2], 1, 1100));
    sequences.push_back(emitted(random, models[4], 20, 2400));
    for (const std::size_t residues : {1100u, 2047u, 2050u, 4096u, 4097u, 9000u, 12000u})
        sequences.push_back(random_protein(random, residues));
    const Targets with_long(sequences, 4);
    const Comparison comparison = compare(gpu, random, with_long, quantised(models), nullptr, 8);
    CHECK(comparison.wrong == 0);
    CHECK(comparison.undecided_for_nothing == 0);
    CHECK(comparison.undecided < comparison.compared / 20);
    CHECK(comparison.overflows >= 2);
}

TEST_CASE("Viterbi on the GPU: random targets are nearly always decided") {
    if (!have_gpu()) return;
    Gpu gpu;
    Random random(34);
    std::vector<ProfileHmm> models;
    for (const int length : {48, 100, 200, 400}) models.push_back(random_profile(random, length));
    const Targets targets(random, 3000, 0, 700, {});
    const Comparison comparison = compare(gpu, random, targets, quantised(models), nullptr, 8);
    CHECK(comparison.wrong == 0);
    CHECK(comparison.undecided_for_nothing == 0);
    CHECK(comparison.undecided < comparison.compared / 2000);
}

TEST_CASE("Viterbi on the GPU: lists of none, one, two, three pairs, and of one profile of several") {
    if (!have_gpu()) return;
    Gpu gpu;
    Random random(35);
    std::vector<ProfileHmm> models;
    for (const int length : {5, 60, 61, 300, 500}) models.push_back(random_profile(random, length));
    const std::vector<ViterbiProfile> profiles = quantised(models);
    const ViterbiUnihitTables tables = tables_of(profiles, nullptr);
    const Targets targets(random, 70, 1, 120, {});
    const auto uploaded = gpu.upload(targets);
    CHECK(gpu.score(tables, *uploaded, {}).empty());
    for (std::size_t size = 1; size < 70; ++size) {
        const std::size_t p = size % profiles.size();
        std::vector<std::uint32_t> list;
        for (std::size_t i = 0; i < size; ++i) list.push_back(static_cast<std::uint32_t>(p * 70 + 70 - size + i));
        const std::vector<std::int16_t> found = gpu.score(tables, *uploaded, list);
        for (std::size_t i = 0; i < size; ++i) {
            const Sequence& target = targets.sequences[70 - size + i];
            if (found[i] == kUndecided)
                CHECK(has_reason(profiles[p], target));
            else
                CHECK(found[i] == reference_viterbi(profiles[p], target));
        }
    }
}

TEST_CASE("Viterbi on the GPU: stops, other codes, profiles with zero probabilities, absurd scores") {
    if (!have_gpu()) return;
    Gpu gpu;
    Random random(36);
    std::vector<ViterbiProfile> profiles =
        quantised({random_profile(random, 40), random_profile(random, 150), random_profile(random, 150),
                   random_profile(random, 30), random_profile(random, 400)});
    profiles[1].transitions.match_delete[70] = profiles[1].transitions.match_insert[3] = ViterbiProfile::kMinusInfinity;
    profiles[2].transitions.enter[20] = ViterbiProfile::kMinusInfinity;
    for (int k = 3; k < 9; ++k)
        profiles[3].match[static_cast<std::size_t>(30 * 4 + k)] = ViterbiProfile::kMinusInfinity;
    profiles[4].match[400 * 7 + 100] = 32000;
    std::vector<Sequence> sequences;
    for (int i = 0; i < 200; ++i) {
        Sequence sequence = random_protein(random, 1 + random.below(300));
        if (i % 4 == 0) sequence = random_codes(random, sequence.size());
        if (i % 4 == 1) sequence[random.below(sequence.size())] = kCodeStop;
        if (i % 4 == 2) sequence[random.below(sequence.size())] = kCodeX;
        sequences.push_back(std::move(sequence));
    }
    const Targets targets(sequences, 2);
    const Comparison comparison = compare(gpu, random, targets, profiles, nullptr, 8);
    CHECK(comparison.wrong == 0);
    CHECK(comparison.undecided_for_nothing == 0);
    const ViterbiUnihitTables tables = tables_of(profiles, nullptr);
    CHECK(tables.fits()[0] == 1);
    CHECK(tables.fits()[2] == 0);
}

TEST_CASE(
    "Viterbi on the GPU: targets of more residues than its numbers hold are left, the others beside them are not") {
    if (!have_gpu()) return;
    Gpu gpu;
    Random random(37);
    const std::vector<ViterbiProfile> profiles = quantised({random_profile(random, 30), random_profile(random, 300)});
    std::vector<Sequence> sequences;
    for (const std::size_t residues : {70000u, 65536u, 65535u, 40000u, 300u, 20u, 1u})
        sequences.push_back(random_protein(random, residues));
    const Targets targets(sequences, 5);
    const auto uploaded = gpu.upload(targets);
    std::vector<std::uint32_t> list;
    for (std::uint32_t slot = 0; slot < 14; ++slot) list.push_back(slot);
    const std::vector<std::int16_t> found = gpu.score(tables_of(profiles, nullptr), *uploaded, list);
    for (std::size_t slot = 0; slot < 14; ++slot) {
        CAPTURE(slot);
        if (slot % 7 < 2)
            CHECK(found[slot] == kUndecided);
        else
            CHECK(found[slot] == reference_viterbi(profiles[slot / 7], sequences[slot % 7]));
    }
}
