// The GPU's Viterbi multihit stage, compared with the reference, integer by integer. Prints a note
// if there is no GPU.
#include "kernels/profile/profile_filters_gpu.h"
#include "kernels/profile/viterbi_multihit_stage_gpu.cuh"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "kernels/profile/viterbi_filter_reference.h"
#include "tests/kernels/profile/undecided_list.h"

using namespace warpseq;
using namespace warpseq::cuda;
using namespace warpseq::testing;

namespace {

struct Tally {
    std::size_t compared = 0, wrong = 0, overflows = 0, uses_of_j = 0, lowest = 0;
};

enum class Kind {
    kUsual,
    kGapped,  // deletions are cheap, so that they run through many nodes
    kHarsh,   // transitions and entries that are minus infinity or nearly so: sums saturate
};

ViterbiProfile profile_of(Random& random, const ProfileHmm& hmm, Kind kind) {
    ViterbiProfile profile = quantise_viterbi(configure_plan7(hmm));
    ViterbiProfile::Transitions& to = profile.transitions;
    if (kind == Kind::kGapped) {
        const auto raise = [&](std::vector<std::int16_t>& scores, std::uint64_t most_cost) {
            for (std::int16_t& score : scores)
                score = std::max(score, static_cast<std::int16_t>(-static_cast<int>(random.below(most_cost))));
        };
        raise(to.delete_delete, 40);
        raise(to.match_delete, 900);
    }
    if (kind == Kind::kHarsh) {
        for (auto* const scores : {&to.enter, &to.match_match, &to.insert_match, &to.delete_match, &to.match_delete,
                                   &to.match_insert, &to.insert_insert, &to.delete_delete}) {
            for (std::int16_t& score : *scores) {
                if (random.below(4) == 0)
                    score = static_cast<std::int16_t>(
                        -32768 + (random.below(2) == 0 ? 0 : static_cast<int>(random.below(20000))));
            }
        }
    }
    return profile;
}

/// One batch of models of these lengths.
void compare(Random& random, const std::vector<int>& lengths, std::size_t target_count, Tally& tally, Kind kind,
             const ViterbiMultihitShape* shape = nullptr) {
    std::vector<ProfileHmm> models;
    std::vector<ViterbiProfile> profiles;
    std::vector<const ViterbiProfile*> pointers;
    for (const int length : lengths) {
        models.push_back(random_profile(random, length));
        profiles.push_back(profile_of(random, models.back(), kind));
    }
    for (const ViterbiProfile& profile : profiles) pointers.push_back(&profile);
    const MixedTargets targets(random, target_count, 2, models);
    const UndecidedList list(random, profiles.size(), targets.sequences.size());
    ViterbiMultihitStage stage(0, kAmpleScratchBytes);
    const Status prepared = stage.prepare(ViterbiMultihitTables(pointers, shape), nullptr);
    REQUIRE_MESSAGE(prepared.ok(), prepared.message());
    const auto found = decide<std::int16_t>(stage, targets, list, profiles.size(), ViterbiProfile::move);
    const auto expected = expected_results(
        targets, list, [&](std::size_t p, const Sequence& target) { return reference_viterbi(profiles[p], target); });
    for (std::size_t i = 0; i < found.size(); ++i) {
        ++tally.compared;
        if (found[i] != expected[i] && tally.wrong++ < 5) {
            const std::size_t lanes = targets.sequences.size();
            MESSAGE("model of ", lengths[list.slots[i] / lanes], " nodes, target of ",
                    targets.sequences[list.slots[i] % lanes].size(), " residues: found ", found[i], ", expected ",
                    expected[i]);
        }
        if (list.results[i] != kUndecided) continue;
        tally.overflows += expected[i] == kViterbiOverflow;
        tally.uses_of_j += expected[i] != kViterbiOverflow && expected[i] > ViterbiProfile::kBase;
        tally.lowest += expected[i] < -10000;
    }
}

}  // namespace

TEST_CASE("Viterbi multihit on the GPU: models of every length up to 600") {
    if (!have_gpu()) return;
    Random random(31);
    Tally tally;
    for (int first = 1; first <= 600; first += 30) {
        std::vector<int> lengths;
        for (int length = first; length < first + 30; ++length) lengths.push_back(length);
        compare(random, lengths, 40, tally, Kind{(first / 30) % 3});
    }
    MESSAGE(tally.compared, " compared, ", tally.overflows, " overflows, ", tally.uses_of_j, " with J, ", tally.lowest,
            " very low");
    CHECK(tally.wrong == 0);
    CHECK(tally.overflows > 100);
    CHECK(tally.uses_of_j > 100);
    CHECK(tally.lowest > 100);
}

TEST_CASE("Viterbi multihit on the GPU: long models, with and without a shape, in one batch") {
    if (!have_gpu()) return;
    Random random(32);
    for (const Kind kind : {Kind::kUsual, Kind::kGapped, Kind::kHarsh}) {
        Tally tally;
        compare(
            random,
            {513, 640, 641, 800, 1024, 1025, 1500, 1799, 2048, 2049, 2405, 2561, 3000, 3073, 3600, 4096, 4097, 4200},
            25, tally, kind);
        CHECK(tally.wrong == 0);
        CHECK(tally.overflows + tally.uses_of_j + tally.lowest > 10);
    }
}

TEST_CASE("Viterbi multihit on the GPU: every shape, filled and not, with deletions through many threads") {
    if (!have_gpu()) return;
    Random random(33);
    for (const ViterbiMultihitShape& shape : viterbi_multihit_shapes()) {
        CAPTURE(shape.threads);
        CAPTURE(shape.nodes_per_thread);
        for (const Kind kind : {Kind::kUsual, Kind::kGapped, Kind::kHarsh}) {
            Tally tally;
            compare(random, {shape.nodes(), 1, shape.nodes() / 2, shape.nodes() - 1, shape.nodes() + 1}, 12, tally,
                    kind, &shape);
            CHECK(tally.compared > 0);
            CHECK(tally.wrong == 0);
        }
    }
}

TEST_CASE("Viterbi multihit on the GPU: few targets and models of several warps, quick enough for a race checker") {
    if (!have_gpu()) return;
    Random random(34);
    Tally tally;
    compare(random, {100, 200, 513, 1025, 2405, 4096}, 3, tally, Kind::kGapped);
    CHECK(tally.compared > 50);
    CHECK(tally.wrong == 0);
}
