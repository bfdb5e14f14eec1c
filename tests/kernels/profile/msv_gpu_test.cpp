// The GPU's full MSV recurrence, compared with the reference, integer by integer. Prints a note if
// there is no GPU.
#include "kernels/profile/msv_stage_gpu.cuh"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "kernels/profile/msv_filter_reference.h"
#include "kernels/profile/profile_filters_gpu.h"
#include "tests/kernels/profile/undecided_list.h"

using namespace warpseq;
using namespace warpseq::cuda;
using namespace warpseq::testing;

namespace {

struct Tally {
    std::size_t compared = 0, wrong = 0, overflows = 0, uses_of_j = 0, below_begin = 0;
};

/// One batch of models of these lengths.
void compare(Random& random, const std::vector<int>& lengths, std::size_t target_count, Tally& tally,
             const MsvShape* shape = nullptr) {
    std::vector<ProfileHmm> models;
    std::vector<MsvProfile> profiles;
    std::vector<const MsvProfile*> pointers;
    for (const int length : lengths) {
        models.push_back(random_profile(random, length));
        profiles.push_back(quantise_msv(configure_plan7(models.back())));
    }
    for (const MsvProfile& profile : profiles) pointers.push_back(&profile);
    const MixedTargets targets(random, target_count, 2, models);
    const UndecidedList list(random, profiles.size(), targets.sequences.size());
    MsvStage stage(0, kAmpleScratchBytes);
    const Status prepared =
        stage.prepare(shape != nullptr ? MsvTables(pointers, kMsvTableBytes, shape) : MsvTables(pointers), nullptr);
    REQUIRE_MESSAGE(prepared.ok(), prepared.message());
    const auto found = decide<std::uint8_t>(stage, targets, list, profiles.size(), MsvProfile::move);
    const auto expected = expected_results(
        targets, list, [&](std::size_t p, const Sequence& target) { return reference_msv(profiles[p], target); });
    for (std::size_t i = 0; i < found.size(); ++i) {
        ++tally.compared;
        if (found[i] != expected[i] && tally.wrong++ < 5) {
            const std::size_t lanes = targets.sequences.size();
            MESSAGE("model of ", lengths[list.slots[i] / lanes], " nodes, target of ",
                    targets.sequences[list.slots[i] % lanes].size(), " residues: found ", found[i], ", expected ",
                    expected[i]);
        }
        if (list.results[i] != kUndecided) continue;
        const MsvProfile& profile = profiles[list.slots[i] / targets.sequences.size()];
        const int to_match =
            profile.enter + MsvProfile::move(targets.sequences[list.slots[i] % targets.sequences.size()].size());
        tally.overflows += expected[i] == kMsvOverflow;
        tally.uses_of_j += expected[i] != kMsvOverflow && expected[i] > MsvProfile::kBase;
        tally.below_begin += expected[i] < MsvProfile::kBase - to_match - profile.end;
    }
}

}  // namespace

TEST_CASE("MSV on the GPU: models of every length up to 600") {
    if (!have_gpu()) return;
    Random random(21);
    Tally tally;
    for (int first = 1; first <= 600; first += 30) {
        std::vector<int> lengths;
        for (int length = first; length < first + 30; ++length) lengths.push_back(length);
        compare(random, lengths, 60, tally);
    }
    MESSAGE(tally.compared, " compared, ", tally.overflows, " overflows, ", tally.uses_of_j, " with J, ",
            tally.below_begin, " below the begin score");
    CHECK(tally.wrong == 0);
    CHECK(tally.overflows > 100);
    CHECK(tally.uses_of_j > 100);
    CHECK(tally.below_begin > 100);
}

TEST_CASE("MSV on the GPU: long models, with and without a shape, in one batch") {
    if (!have_gpu()) return;
    Random random(22);
    Tally tally;
    compare(
        random,
        {640, 641, 700, 800, 1024, 1025, 1500, 1799, 2048, 2049, 2405, 2561, 3000, 3073, 3600, 4096, 4097, 4200, 5000},
        150, tally);
    CHECK(tally.wrong == 0);
    CHECK(tally.overflows > 10);
    CHECK(tally.uses_of_j > 10);
    CHECK(tally.below_begin > 10);
}

TEST_CASE("MSV on the GPU: every shape, filled and not") {
    if (!have_gpu()) return;
    Random random(23);
    for (const MsvShape& shape : msv_shapes()) {
        CAPTURE(shape.group_threads);
        CAPTURE(shape.rows_per_thread);
        Tally tally;
        compare(random,
                {shape.nodes(), 1, shape.nodes() / 2, shape.nodes() / 2 + 1, shape.nodes() - 1, shape.nodes() + 1}, 40,
                tally, &shape);
        CHECK(tally.compared > 0);
        CHECK(tally.wrong == 0);
    }
}

TEST_CASE("MSV on the GPU: few targets and models of several shapes, quick enough for a race checker") {
    if (!have_gpu()) return;
    Random random(24);
    Tally tally;
    compare(random, {100, 400, 800, 1600, 4096}, 3, tally);
    CHECK(tally.compared > 40);
    CHECK(tally.wrong == 0);
}
