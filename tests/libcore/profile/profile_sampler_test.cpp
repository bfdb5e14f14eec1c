// Sequences that a profile emits. Expected ones are those of HMMER 3.3.2's hmmemit with the same
// seed, for tests/golden/hmm/every-field-3f.hmm.
#include "libcore/profile/profile_sampler.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/support/golden_profile.h"

using namespace warpseq;
using testing::golden_profile;

namespace {

std::string next_core(const ProfileHmm& hmm, LinearCongruential& random) {
    const auto sample = sample_core(hmm, random);
    return sample ? decode_residues(sample->residues) : "none";
}

std::string next_search(const SearchSampler& sampler, LinearCongruential& random) {
    const auto residues = sampler.sample(random);
    return residues ? decode_residues(*residues) : "none";
}

}  // namespace

TEST_CASE("samples of the core model") {
    const ProfileHmm hmm = golden_profile();
    LinearCongruential one(1), seven(7);
    CHECK(next_core(hmm, one) == "LKTDHCADWGS");
    CHECK(next_core(hmm, one) == "FKMEFCVLDWGT");
    CHECK(next_core(hmm, seven) == "LKYCFCQGWGA");
    CHECK(next_core(hmm, seven) == "MKKNCAEWGS");
}

TEST_CASE("a trace has a step for each residue and for each node that is left out") {
    const ProfileHmm hmm = golden_profile();
    LinearCongruential random(7);
    REQUIRE(sample_core(hmm, random));
    const auto sample = sample_core(hmm, random);  // MKKN-CAEWGS
    REQUIRE(sample);
    REQUIRE(sample->trace.size() == 11);
    for (std::size_t i = 0; i < 11; ++i) {
        const TraceStep expected = {i == 4 ? TraceState::kDelete : TraceState::kMatch, static_cast<std::int32_t>(i + 1),
                                    static_cast<std::int64_t>(i < 4 ? i + 1 : i), 0.0f};
        CHECK(sample->trace[i] == expected);
    }
}

TEST_CASE("samples of the search model") {
    const ProfileHmm hmm = golden_profile();
    LinearCongruential random(1);
    const SearchSampler unilocal(hmm, {.is_local = true, .is_multihit = false, .expected_residues = 5});
    REQUIRE(unilocal.is_sound());
    CHECK(next_search(unilocal, random) == "ILTLKEDCADPFLDP");
    CHECK(next_search(unilocal, random) == "YDHT");
    random = LinearCongruential(7);
    const SearchSampler glocal(hmm, {.is_local = false, .is_multihit = true, .expected_residues = 3});
    REQUIRE(glocal.is_sound());
    CHECK(next_search(glocal, random) == "DMKAESCADWATMLLKKSHCADWGTHLRGFFCAEWPGSGQMRQYYCAFWGT");
    CHECK(next_search(glocal, random) == "ALKVAHCAEWYGTMKTYHCADWGTFKSYYCADWGAR");
    random = LinearCongruential(7);
    const SearchSampler uniglocal(hmm, {.is_local = false, .is_multihit = false, .expected_residues = 0});
    CHECK(next_search(uniglocal, random) == "MKDAHCADWEAT");
}

TEST_CASE("a profile that may be passed by deletes alone is not sound unless it is local") {
    ProfileHmm hmm = golden_profile();
    hmm.length = 1;
    const auto sound = [&hmm](float skipped, bool local) {
        hmm.transitions[0] = {1 - skipped, 0, skipped, 1, 0, 1, 0};
        return SearchSampler(hmm, {.is_local = local}).is_sound();
    };
    CHECK(sound(0.0f, false));
    CHECK(sound(0.00009f, false));
    CHECK_FALSE(sound(0.00011f, false));
    CHECK(sound(0.5f, true));
}

TEST_CASE("a profile is sound if the probabilities of each state add up to 1") {
    const ProfileHmm whole = golden_profile();
    CHECK(is_sound(whole));
    const auto sound_with = [&whole](const auto& change) {
        ProfileHmm hmm = whole;
        change(hmm);
        return is_sound(hmm);
    };
    // The sum may be off by 0.0001.
    const auto sound_match = [&](float probability) {
        return sound_with([&](ProfileHmm& hmm) { hmm.transitions[3] = {probability, 0, 0, 1, 0, 1, 0}; });
    };
    CHECK(sound_match(0.99991f));
    CHECK_FALSE(sound_match(0.99989f));
    CHECK_FALSE(sound_match(1.00001f));  // no probability is above 1
    CHECK_FALSE(sound_match(std::numeric_limits<float>::quiet_NaN()));
    CHECK_FALSE(sound_with([](ProfileHmm& hmm) { hmm.transitions[0][kInsertMatch] = 0; }));
    CHECK_FALSE(sound_with([](ProfileHmm& hmm) { hmm.transitions[1][kDeleteDelete] = 1; }));
    CHECK_FALSE(sound_with([](ProfileHmm& hmm) { hmm.match[11].fill(0.04f); }));
    CHECK_FALSE(sound_with([](ProfileHmm& hmm) { hmm.insert[0].fill(0.06f); }));
    CHECK(sound_with([](ProfileHmm& hmm) { hmm.insert[0].fill(0.05f); }));
    // Node 0 emits no match. No delete state follows the last node.
    CHECK(sound_with([](ProfileHmm& hmm) { hmm.match[0].fill(7); }));
    CHECK_FALSE(sound_with([](ProfileHmm& hmm) { hmm.transitions[11] = {0.99999f, 0, 0.00001f, 1, 0, 1, 0}; }));
    CHECK_FALSE(sound_with([](ProfileHmm& hmm) { hmm.transitions[11] = {1, 0, 0, 1, 0, 0.99999f, 0}; }));
    CHECK_FALSE(sound_with([](ProfileHmm& hmm) { hmm.transitions[11] = {1, 0, 0, 1, 0, 1, 0.00001f}; }));
}

TEST_CASE("a local model is not sound if no node or, for some lengths, only the first can be entered") {
    const auto sound = [](int nodes, bool first) {
        ProfileHmm hmm;
        hmm.length = nodes;
        hmm.transitions.assign(static_cast<std::size_t>(nodes) + 1, {0, 0, 1, 1, 0, 0, 1});
        if (first) hmm.transitions[0] = {1, 0, 0, 1, 0, 1, 0};
        return SearchSampler(hmm, {}).is_sound();
    };
    CHECK_FALSE(sound(3, false));
    // HMMER refuses those of 1 to 20 nodes for which e^(log(1 / M)) M is above 1 after rounding.
    for (int nodes = 1; nodes <= 20; ++nodes)
        CHECK(sound(nodes, true) == (nodes != 7 && nodes != 13 && nodes != 17 && nodes != 19));
}

TEST_CASE("without usable probabilities there is no sample") {
    ProfileHmm hmm = golden_profile();
    LinearCongruential random(1);
    const SearchSampler negative(hmm, {.expected_residues = -1});
    CHECK_FALSE(negative.sample(random));
    hmm.match[1].fill(0);
    hmm.transitions[0] = {1, 0, 0, 1, 0, 1, 0};
    CHECK_FALSE(sample_core(hmm, random));
    hmm = golden_profile();
    hmm.transitions[11] = {0, 0, 1, 1, 0, 0, 1};  // the last node leads to a delete
    CHECK_FALSE(sample_core(hmm, random));
    CHECK_FALSE(draw_index(random, std::vector<float>{0, 0}));
    CHECK_FALSE(draw_index(random, std::vector<float>{1, std::numeric_limits<float>::quiet_NaN()}));
}

TEST_CASE("a path that does not end gives no sample") {
    ProfileHmm hmm = golden_profile();
    LinearCongruential random(1);
    CHECK(sample_core(hmm, random, 1000));
    hmm.transitions[0] = {0, 1, 0, 0, 1, 1, 0};  // to the insert state, which is never left
    CHECK_FALSE(sample_core(hmm, random, 1000));
}

TEST_CASE("an index is drawn in proportion to its weight") {
    LinearCongruential random(3);
    const std::vector<float> weights = {1, 0, 3};
    int counts[3] = {};
    for (int i = 0; i < 40000; ++i) {
        const auto drawn = draw_index(random, weights);
        REQUIRE(drawn);
        ++counts[*drawn];
    }
    CHECK(counts[1] == 0);
    CHECK(std::abs(counts[0] - 10000) < 500);  // more than five standard deviations
}

TEST_CASE("consensus") {
    const ProfileHmm hmm = golden_profile();  // nodes 3 and 4 are masked
    CHECK(decode_residues(majority_consensus(hmm)) == "MKXXHCAEWGT");
    CHECK(graded_consensus(hmm, 0, 0) == "MKxxHCAEWGT");
    CHECK(graded_consensus(hmm, 0.3f, 0.5f) == "MKxxhCAEWGT");
    CHECK(graded_consensus(hmm, 0, 1) == "mkxxhcaewgt");
    CHECK(graded_consensus(hmm, 1, 0) == "xxxxxxxxxxx");
}
