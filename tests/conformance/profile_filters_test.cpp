// Every back end of the MSV and Viterbi filters that this processor runs against the scalar
// reference: results have to be equal. And the reference against the same recurrences in doubles,
// on targets that do not saturate.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "kernels/profile/msv_filter.h"
#include "kernels/profile/msv_filter_reference.h"
#include "kernels/profile/viterbi_filter.h"
#include "kernels/profile/viterbi_filter_reference.h"
#include "libcore/base/random.h"
#include "libcore/profile/plan7_profile.h"
#include "tests/support/random_profile.h"
#include "tests/support/random_proteins.h"
#include "tests/support/tile_builder.h"
#include "tests/support/under_sanitizers.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

struct Model {
    ProfileHmm hmm;
    MsvProfile msv;
    ViterbiProfile viterbi;
};

Model random_model(Random& random, int length) {
    Model model;
    model.hmm = random_profile(random, length);
    const Plan7Profile profile = configure_plan7(model.hmm);
    model.msv = quantise_msv(profile);
    model.viterbi = quantise_viterbi(profile);
    return model;
}

// Returns a random sequence that contains `copies` parts that the model emits.
Sequence planted(Random& random, const ProfileHmm& hmm, std::size_t residues, int copies) {
    Sequence target = random_protein(random, residues);
    const auto length = static_cast<std::size_t>(hmm.length);
    for (int c = 0; c < copies; ++c) {
        const std::size_t first = 1 + random.below(length), last = first + random.below(length - first + 1);
        const Sequence part = emitted(random, hmm, first, last);
        target.insert(target.begin() + static_cast<std::ptrdiff_t>(random.below(target.size() + 1)), part.begin(),
                      part.end());
    }
    return target;
}

// Returns targets of every kind: random, with residues of any code, only X, with stops, with one or
// several planted parts, and with whole copies.
std::vector<Sequence> targets_for(Random& random, const ProfileHmm& hmm, std::size_t count,
                                  std::size_t longest_residues) {
    std::vector<Sequence> targets;
    for (std::size_t t = 0; t < count; ++t) {
        const std::size_t residues = 1 + random.below(longest_residues);
        switch (t % 8) {
            case 0: targets.push_back(random_codes(random, residues)); break;
            case 1: targets.push_back(Sequence(residues, kCodeX)); break;
            case 2:
                targets.push_back(planted(random, hmm, residues, 1));
                targets.back()[random.below(targets.back().size())] = kCodeStop;
                break;
            case 3: targets.push_back(planted(random, hmm, residues, 1)); break;
            case 4: targets.push_back(planted(random, hmm, residues, 5)); break;
            case 5: targets.push_back(emitted(random, hmm, 1, static_cast<std::size_t>(hmm.length))); break;
            default: targets.push_back(random_protein(random, residues)); break;
        }
        if (targets.back().empty()) targets.back().push_back(0);
    }
    return targets;
}

// Counts of cases over all pairs of a test. A test requires the cases that it is about.
struct MsvCases {
    std::size_t overflows = 0, undecided = 0, full_msv_finite = 0, decided = 0;
};

MsvCases& operator+=(MsvCases& a, const MsvCases& b) {
    a.overflows += b.overflows;
    a.undecided += b.undecided;
    a.full_msv_finite += b.full_msv_finite;
    a.decided += b.decided;
    return a;
}

struct Tiles {
    TileBuilder builder;
    std::vector<Sequence> targets;  // in the order of lanes

    void add_interleaved(std::vector<Sequence> sequences) {
        std::stable_sort(sequences.begin(), sequences.end(),
                         [](const Sequence& a, const Sequence& b) { return a.size() > b.size(); });
        builder.add_interleaved(sequences);
        targets.insert(targets.end(), sequences.begin(), sequences.end());
    }
    void add_linear(const Sequence& sequence) {
        builder.add_linear(sequence);
        targets.push_back(sequence);
    }
    /// Deals sequences to tiles of 32, longest first.
    void add_all(std::vector<Sequence> sequences) {
        std::stable_sort(sequences.begin(), sequences.end(),
                         [](const Sequence& a, const Sequence& b) { return a.size() > b.size(); });
        for (std::size_t first = 0; first < sequences.size(); first += kTileLanes) {
            const std::size_t end = std::min<std::size_t>(first + kTileLanes, sequences.size());
            add_interleaved({sequences.begin() + static_cast<std::ptrdiff_t>(first),
                             sequences.begin() + static_cast<std::ptrdiff_t>(end)});
        }
    }
};

// Checks every back end on one call, twice with one workspace.
MsvCases check_msv(const std::vector<MsvProfile>& profiles, const Tiles& tiles) {
    MsvCases cases;
    std::vector<std::int16_t> expected;
    std::uint64_t cells = 0, undecided_cells = 0;
    for (const MsvProfile& profile : profiles) {
        for (const Sequence& target : tiles.targets) {
            const std::uint64_t pair_cells = static_cast<std::uint64_t>(profile.length) * target.size();
            cells += pair_cells;
            if (target.empty()) {
                expected.push_back(0);
                continue;
            }
            const auto ssv = reference_ssv(profile, target);
            const std::int16_t result = ssv ? *ssv : reference_msv(profile, target);
            undecided_cells += ssv ? 0 : pair_cells;
            cases.overflows += result == kMsvOverflow;
            cases.undecided += !ssv;
            cases.full_msv_finite += !ssv && result != kMsvOverflow;
            cases.decided += ssv && result != kMsvOverflow;
            expected.push_back(result);
        }
    }
    const std::vector<TileView> views = tiles.builder.views();
    for (const CpuBackend backend : runnable_cpu_backends()) {
        CAPTURE(std::string(cpu_backend_name(backend)));
        const auto filter = make_msv_filter(backend, profiles);
        REQUIRE(filter->backend() == backend);
        REQUIRE(filter->profile_count() == profiles.size());
        const auto workspace = filter->make_workspace();
        for (int repeat = 0; repeat < 2; ++repeat) {
            std::vector<std::int16_t> results(expected.size(), -1);
            workspace->cells = workspace->undecided_cells = 0;
            filter->score(views, *workspace, results);
            for (std::size_t i = 0; i < results.size(); ++i) {
                if (results[i] == expected[i]) continue;
                const std::size_t p = i / tiles.targets.size(), t = i % tiles.targets.size();
                FAIL("profile of ", profiles[p].length, " nodes, lane ", t, " of ", tiles.targets[t].size(),
                     " residues: ", results[i], " instead of ", expected[i]);
            }
            CHECK(workspace->cells == cells);
            CHECK(workspace->undecided_cells == undecided_cells);
        }
    }
    return cases;
}

struct ViterbiCases {
    std::size_t overflows = 0, finite = 0;
};

ViterbiCases check_viterbi(const ViterbiProfile& profile, const std::vector<Sequence>& targets) {
    ViterbiCases cases;
    std::vector<std::int16_t> expected;
    for (const Sequence& target : targets) {
        expected.push_back(reference_viterbi(profile, target));
        cases.overflows += expected.back() == kViterbiOverflow;
        cases.finite += expected.back() != kViterbiOverflow;
    }
    const std::vector<std::span<const ResidueCode>> spans(targets.begin(), targets.end());
    for (const CpuBackend backend : runnable_cpu_backends()) {
        CAPTURE(std::string(cpu_backend_name(backend)));
        const auto filter = make_viterbi_filter(backend, profile);
        CHECK(filter->preferred_targets() >= 1);
        const auto workspace = filter->make_workspace();
        for (int repeat = 0; repeat < 2; ++repeat) {
            std::vector<std::int16_t> results(targets.size(), -1);
            filter->score(spans, *workspace, results);
            for (std::size_t t = 0; t < targets.size(); ++t) {
                if (results[t] == expected[t]) continue;
                FAIL("profile of ", profile.length, " nodes, target ", t, " of ", targets[t].size(),
                     " residues: ", results[t], " instead of ", expected[t]);
            }
        }
    }
    return cases;
}

// The result of a filter's recurrence in doubles, without limits of the range.
struct Unbounded {
    double result = kMinusInfinity;
    bool saturates = false;  // whether the integers would meet an end of their range that matters
};

Unbounded unbounded_msv(const MsvProfile& profile, const Sequence& target) {
    const auto length = static_cast<std::size_t>(profile.length);
    const int to_match = MsvProfile::move(target.size()) + profile.enter;
    std::vector<double> row(length + 1, kMinusInfinity);
    Unbounded unbounded;
    double xb = MsvProfile::kBase - to_match;
    unbounded.saturates = xb < 0;
    unbounded.result = 0;
    for (const ResidueCode code : target) {
        double xe = kMinusInfinity;
        for (std::size_t k = length; k >= 1; --k) {
            row[k] = std::max(row[k - 1], xb) + profile.bias - profile.match_costs[code * length + k - 1];
            xe = std::max(xe, row[k]);
        }
        if (xe + profile.bias >= 255) unbounded.saturates = true;
        unbounded.result = std::max(unbounded.result, xe - profile.end);
        xb = std::max<double>(MsvProfile::kBase, unbounded.result) - to_match;
    }
    return unbounded;
}

Unbounded unbounded_viterbi(const ViterbiProfile& profile, const Sequence& target) {
    const auto length = static_cast<std::size_t>(profile.length);
    const ViterbiProfile::Transitions& transitions = profile.transitions;
    const auto value = [](std::int16_t score) {
        return score == ViterbiProfile::kMinusInfinity ? kMinusInfinity : static_cast<double>(score);
    };
    const int move = ViterbiProfile::move(target.size());
    std::vector<double> match(length + 1, kMinusInfinity), insert = match, del = match;
    Unbounded unbounded;
    double xb = ViterbiProfile::kBase + move;
    for (const ResidueCode code : target) {
        const std::vector<double> match_above = match, insert_above = insert, delete_above = del;
        double xe = kMinusInfinity;
        for (std::size_t k = 1; k <= length; ++k) {
            match[k] = std::max({xb + value(transitions.enter[k - 1]),
                                 match_above[k - 1] + value(transitions.match_match[k - 1]),
                                 insert_above[k - 1] + value(transitions.insert_match[k - 1]),
                                 delete_above[k - 1] + value(transitions.delete_match[k - 1])}) +
                       value(profile.match[code * length + k - 1]);
            insert[k] = std::max(match_above[k] + value(transitions.match_insert[k - 1]),
                                 insert_above[k] + value(transitions.insert_insert[k - 1]));
            if (k > 1) {
                del[k] = std::max(match[k - 1] + value(transitions.match_delete[k - 2]),
                                  del[k - 1] + value(transitions.delete_delete[k - 2]));
            }
            xe = std::max(xe, match[k]);
        }
        if (xe >= INT16_MAX) unbounded.saturates = true;
        unbounded.result = std::max(unbounded.result, xe - 500);
        xb = std::max<double>(ViterbiProfile::kBase, unbounded.result) + move;
    }
    return unbounded;
}

}  // namespace

TEST_CASE("MSV: every model length") {
    Random random(21);
    MsvCases cases;
    std::vector<int> lengths;
    for (int length = 1; length <= 300; length += fewer(1, 3)) lengths.push_back(length);
    for (const int length : {383, 384, 385, 511, 512, 767, 768, 769, 1000, 1535, 1536, 1600, 2400})
        lengths.push_back(length);
    for (const int length : lengths) {
        CAPTURE(length);
        const Model model = random_model(random, length);
        Tiles tiles;
        tiles.add_all(targets_for(random, model.hmm, length <= 300 ? 9 : 12, 150));
        cases += check_msv({model.msv}, tiles);
    }
    MESSAGE("overflows ", cases.overflows, ", undecided ", cases.undecided, ", of them finite ", cases.full_msv_finite,
            ", decided ", cases.decided);
    CHECK(cases.overflows > 100);
    CHECK(cases.undecided > 100);
    CHECK(cases.full_msv_finite > fewer(100, 40));
    CHECK(cases.decided > fewer(1000, 400));
}

TEST_CASE("MSV: several profiles, several tiles of every number of lanes") {
    Random random(22);
    std::vector<Model> models;
    for (const int length : {1, 31, 64, 130, 257}) models.push_back(random_model(random, length));
    std::vector<MsvProfile> profiles;
    for (const Model& model : models) profiles.push_back(model.msv);
    Tiles tiles;
    for (const std::size_t lanes : {1u, 2u, 31u, 32u, 17u, 32u}) {
        std::vector<Sequence> sequences = targets_for(random, models[random.below(models.size())].hmm, lanes, 200);
        if (lanes == 17) sequences.resize(14), sequences.resize(17);  // three lanes without residues
        tiles.add_interleaved(sequences);
        tiles.add_linear(planted(random, models[3].hmm, 700, 2));
    }
    tiles.add_interleaved({Sequence{}, Sequence{}});
    const MsvCases cases = check_msv(profiles, tiles);
    CHECK(cases.undecided > 0);
    CHECK(cases.overflows > 0);
    check_msv({}, tiles);
    check_msv(profiles, Tiles{});
}

TEST_CASE("MSV: target lengths around a word, and one of 100,000") {
    Random random(23);
    const Model model = random_model(random, 40);
    Tiles tiles;
    std::vector<Sequence> sequences;
    for (std::size_t residues = 1; residues <= 32; ++residues) sequences.push_back(random_codes(random, residues));
    tiles.add_interleaved(sequences);
    tiles.add_linear(random_protein(random, 100'000));
    tiles.add_linear(planted(random, model.hmm, 100'000, 20));
    tiles.add_linear(Sequence{7});
    check_msv({model.msv}, tiles);
}

TEST_CASE("MSV: hits that add up through J") {
    // Copies of a whole domain one after another, each below overflow: the full MSV recurrence
    // decides, and counts several.
    Random random(24);
    MsvCases cases;
    std::size_t raised = 0;
    for (int length = 8; length <= 200; length += 2) {
        const Model model = random_model(random, length);
        Tiles tiles;
        std::vector<Sequence> sequences;
        for (int copies = 1; copies <= 16; ++copies) {
            sequences.push_back(random_protein(random, 10));
            for (int c = 0; c < copies; ++c) {
                const auto half = static_cast<std::size_t>(length) / 2;
                const Sequence part = emitted(random, model.hmm, 1 + random.below(half), half + random.below(half));
                sequences.back().insert(sequences.back().end(), part.begin(), part.end());
            }
            // The score is above what SSV could give.
            if (reference_ssv(model.msv, sequences.back())) continue;
            const std::int16_t msv = reference_msv(model.msv, sequences.back());
            raised += msv != kMsvOverflow && msv > MsvProfile::kBase;
        }
        tiles.add_all(sequences);
        cases += check_msv({model.msv}, tiles);
    }
    CHECK(raised > 50);
    CHECK(cases.full_msv_finite > 50);
}

TEST_CASE("MSV: any costs and biases, such as no real profile has") {
    Random random(25);
    MsvCases cases;
    for (int round = 0; round < 150; ++round) {
        MsvProfile profile;
        profile.length = 1 + static_cast<int>(random.below(140));
        profile.bias = static_cast<std::uint8_t>(random.below(round % 3 == 0 ? 256 : 30));
        profile.enter = static_cast<std::uint8_t>(random.below(round % 5 == 0 ? 256 : 40));
        profile.end = static_cast<std::uint8_t>(random.below(round % 7 == 0 ? 256 : 8));
        std::vector<std::uint8_t> match_costs(kResidueTableSize * static_cast<std::size_t>(profile.length));
        const std::uint64_t costs = 2 + random.below(255);
        for (std::uint8_t& cost : match_costs) cost = static_cast<std::uint8_t>(random.below(costs));
        for (std::size_t code : {std::size_t{kCodeStop}, std::size_t{kPaddingCode}}) {
            std::fill_n(
                match_costs.begin() + static_cast<std::ptrdiff_t>(code * static_cast<std::size_t>(profile.length)),
                profile.length, std::uint8_t{255});
        }
        profile.match_costs = SharedBytes(std::move(match_costs));
        Tiles tiles;
        std::vector<Sequence> sequences;
        for (int t = 0; t < 12; ++t) sequences.push_back(random_codes(random, 1 + random.below(60)));
        tiles.add_all(sequences);
        cases += check_msv({profile}, tiles);
    }
    CHECK(cases.undecided > 100);
    CHECK(cases.full_msv_finite > 100);
    CHECK(cases.decided > 100);
}

TEST_CASE("MSV: the reference against doubles") {
    Random random(26);
    std::size_t compared = 0;
    for (int length = 1; length <= 250; length += 7) {
        const Model model = random_model(random, length);
        for (const Sequence& target : targets_for(random, model.hmm, 16, 300)) {
            const Unbounded unbounded = unbounded_msv(model.msv, target);
            if (unbounded.saturates) continue;
            ++compared;
            const auto ssv = reference_ssv(model.msv, target);
            const std::int16_t result = reference_msv(model.msv, target);
            CHECK(static_cast<double>(result) == unbounded.result);
            // SSV counts no diagonal below its begin. The full recurrence has its result there.
            const int begin = MsvProfile::kBase - MsvProfile::move(target.size()) - model.msv.enter;
            if (ssv) CHECK(*ssv == std::max<int>(result, begin - model.msv.end));
        }
    }
    CHECK(compared > 300);
}

TEST_CASE("Viterbi filter: every model length") {
    Random random(31);
    ViterbiCases cases;
    std::vector<int> lengths;
    for (int length = 1; length <= 300; length += fewer(1, 3)) lengths.push_back(length);
    for (const int length : {511, 512, 513, 1000, 2400}) lengths.push_back(length);
    for (const int length : lengths) {
        CAPTURE(length);
        const Model model = random_model(random, length);
        const ViterbiCases these =
            check_viterbi(model.viterbi, targets_for(random, model.hmm, length <= 300 ? 9 : 16, 120));
        cases.overflows += these.overflows;
        cases.finite += these.finite;
    }
    MESSAGE("overflows ", cases.overflows, ", finite ", cases.finite);
    CHECK(cases.overflows > 50);
    CHECK(cases.finite > fewer(2000, 600));
}

TEST_CASE("Viterbi filter: groups of targets of like and unlike lengths") {
    Random random(36);
    for (const int length : {1, 2, 3, 7, 30, 64, 65, 150, 331}) {
        CAPTURE(length);
        const Model model = random_model(random, length);
        for (const std::size_t count : {15u, 16u, 17u, 32u, 33u, 80u}) {
            std::vector<Sequence> targets;
            const std::size_t residues = 1 + random.below(120);
            for (std::size_t t = 0; t < count; ++t) {
                targets.push_back(planted(random, model.hmm, residues, static_cast<int>(random.below(4))));
                if (t % 9 == 0) targets.back().resize(1 + random.below(targets.back().size()));
                if (t % 11 == 0) targets.back() = random_codes(random, 1 + random.below(residues));
            }
            if (count == 33) targets.push_back(planted(random, model.hmm, 5000, 1));
            check_viterbi(model.viterbi, targets);
        }
    }
}

TEST_CASE("Viterbi filter: deletions that span many nodes and lanes") {
    // Deletions are cheap, and targets leave out long stretches of the model.
    Random random(32);
    std::size_t through_deletes = 0;
    for (int length = 20; length <= 260; length += 8) {
        Model model = random_model(random, length);
        for (ProfileHmm::Transitions& to : model.hmm.transitions) {
            to[kMatchDelete] = 0.2f;
            to[kMatchMatch] = 0.7f;
            to[kMatchInsert] = 0.1f;
            to[kDeleteDelete] = 0.97f;
            to[kDeleteMatch] = 0.03f;
        }
        const ViterbiProfile profile = quantise_viterbi(configure_plan7(model.hmm));
        ViterbiProfile without = profile;
        std::fill(without.transitions.delete_delete.begin(), without.transitions.delete_delete.end(),
                  ViterbiProfile::kMinusInfinity);
        std::vector<Sequence> targets;
        const auto nodes = static_cast<std::size_t>(length);
        for (int t = 0; t < 34; ++t) {
            const std::size_t end = 1 + nodes / 4 + random.below(nodes / 8 + 1);
            const std::size_t begin = end + random.below(nodes - end);
            Sequence target = emitted(random, model.hmm, 1, end);
            const Sequence rest = emitted(random, model.hmm, begin + 1, nodes);
            target.insert(target.end(), rest.begin(), rest.end());
            if (target.empty()) target.push_back(0);
            through_deletes += reference_viterbi(profile, target) != reference_viterbi(without, target);
            targets.push_back(std::move(target));
        }
        check_viterbi(profile, targets);
    }
    CHECK(through_deletes > 50);
}

TEST_CASE("Viterbi filter: any scores, with and without minus infinity") {
    Random random(33);
    ViterbiCases cases;
    for (int round = 0; round < 150; ++round) {
        ViterbiProfile profile;
        profile.length = 1 + static_cast<int>(random.below(120));
        const auto length = static_cast<std::size_t>(profile.length);
        const auto fill = [&](std::vector<std::int16_t>& scores, std::size_t count, int highest, std::uint64_t range) {
            scores.resize(count);
            for (std::int16_t& score : scores) {
                score = round % 2 == 0 && random.below(20) == 0
                            ? ViterbiProfile::kMinusInfinity
                            : static_cast<std::int16_t>(highest - static_cast<int>(random.below(range)));
            }
        };
        const std::uint64_t range = round % 4 == 0 ? 20000 : 2500;
        fill(profile.match, kResidueTableSize * length, 2000, 6000);
        for (auto* transitions :
             {&profile.transitions.match_match, &profile.transitions.insert_match, &profile.transitions.delete_match,
              &profile.transitions.match_delete, &profile.transitions.match_insert, &profile.transitions.delete_delete,
              &profile.transitions.enter}) {
            fill(*transitions, length, 0, range);
        }
        fill(profile.transitions.insert_insert, length, -1, range);
        for (auto* into :
             {&profile.transitions.match_match, &profile.transitions.insert_match, &profile.transitions.delete_match}) {
            into->front() = ViterbiProfile::kMinusInfinity;
        }
        for (auto* out : {&profile.transitions.match_delete, &profile.transitions.match_insert,
                          &profile.transitions.insert_insert, &profile.transitions.delete_delete}) {
            out->back() = ViterbiProfile::kMinusInfinity;
        }
        std::vector<Sequence> targets;
        for (int t = 0; t < 40; ++t) targets.push_back(random_codes(random, 20 + random.below(20)));
        targets.push_back(Sequence(5, kCodeStop));
        targets.push_back(Sequence(30, kCodeStop));
        const ViterbiCases these = check_viterbi(profile, targets);
        cases.overflows += these.overflows;
        cases.finite += these.finite;
    }
    CHECK(cases.finite > 500);
}

TEST_CASE("Viterbi filter: one target of 100,000 residues") {
    Random random(34);
    const Model model = random_model(random, 33);
    const ViterbiCases cases = check_viterbi(
        model.viterbi, {random_protein(random, 100'000), planted(random, model.hmm, 100'000, 5), Sequence{3}});
    CHECK(cases.finite > 0);
}

TEST_CASE("Viterbi filter: the reference against doubles") {
    Random random(35);
    std::size_t compared = 0;
    for (int length = 1; length <= 250; length += 7) {
        const Model model = random_model(random, length);
        for (const Sequence& target : targets_for(random, model.hmm, 16, 200)) {
            const Unbounded unbounded = unbounded_viterbi(model.viterbi, target);
            // From about there on, the integers' minus infinity is no longer below everything.
            if (unbounded.saturates || unbounded.result < -10000) continue;
            ++compared;
            CHECK(static_cast<double>(reference_viterbi(model.viterbi, target)) == unbounded.result);
        }
    }
    CHECK(compared > 300);
}
