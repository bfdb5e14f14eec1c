// Sequences that align better than shuffled copies of them do, and sequences that do not.
#include "engines/pair/shuffled_copies.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "libcore/scoring/builtin_matrices.h"
#include "libcore/scoring/nucleotide_matrix.h"
#include "libcore/sequence/nucleotide.h"
#include "tests/support/random_proteins.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

const ScoringScheme kBlosum{*builtin_matrix("BLOSUM62"), {11, 1}};
const ScoringScheme kBases52{match_mismatch_matrix(2, -3), {5, 2}};

std::optional<ShuffledScores> shuffled(const Sequence& query, const Sequence& target,
                                       const ScoringScheme& scheme = kBlosum, PairStrand strand = PairStrand::kPlus,
                                       unsigned threads = 2, CpuBackend backend = CpuBackend::kPortable) {
    const auto scores = score_shuffled_copies(query, target, strand, scheme, backend, ThreadPool(threads));
    REQUIRE_MESSAGE(scores.ok(), scores.status().message());
    return *scores;
}

Sequence random_bases(Random& random, std::size_t bases) {
    Sequence sequence(bases);
    for (ResidueCode& code : sequence) code = static_cast<ResidueCode>(random.below(kBases));
    return sequence;
}

}  // namespace

TEST_CASE("related sequences score more than all copies, and most unrelated ones do not") {
    Random random(3);
    int unrelated = 0;
    constexpr int kPairs = 20;
    for (int pair = 0; pair < kPairs; ++pair) {
        const Sequence query = random_protein(random, 60 + random.below(100));
        const auto related = shuffled(query, mutated(random, query, 0.6));
        REQUIRE(related);
        CHECK(related->copies == 99);
        CHECK(related->as_high == 0);
        const auto other = shuffled(query, random_protein(random, 60 + random.below(100)));
        REQUIRE(other);
        unrelated += other->as_high > 0;
    }
    CHECK(unrelated >= kPairs - 2);  // each of them fails with a probability of 0.01
}

TEST_CASE("rearranged pieces are related") {
    Random random(4);
    const Sequence first = random_protein(random, 80), second = random_protein(random, 90);
    Sequence query = first, target = second;
    query.insert(query.end(), second.begin(), second.end());
    target.insert(target.end(), first.begin(), first.end());
    CHECK(shuffled(query, target)->as_high == 0);
}

TEST_CASE("only the strands that are aligned count") {
    Random random(5);
    const Sequence query = random_bases(random, 300), target = reverse_complement(query);
    CHECK(shuffled(query, target, kBases52, PairStrand::kPlus)->as_high > 0);
    CHECK(shuffled(query, target, kBases52, PairStrand::kMinus)->as_high == 0);
    CHECK(shuffled(query, target, kBases52, PairStrand::kBoth)->as_high == 0);
}

TEST_CASE("threads and back ends do not change the result") {
    Random random(6);
    const Sequence query = random_protein(random, 130), target = random_protein(random, 110);
    const auto expected = shuffled(query, target);
    for (const CpuBackend backend : runnable_cpu_backends()) {
        for (const unsigned threads : {1u, 3u}) {
            const auto scores = shuffled(query, target, kBlosum, PairStrand::kPlus, threads, backend);
            CHECK(scores->as_high == expected->as_high);
        }
    }
}

TEST_CASE("there is no answer for short, long and uniform sequences") {
    Random random(7);
    const Sequence some = random_protein(random, 100);
    CHECK(shuffled(some, random_protein(random, 20)));
    CHECK_FALSE(shuffled(some, random_protein(random, 19)));
    CHECK_FALSE(shuffled(random_protein(random, 19), some));
    CHECK_FALSE(shuffled(some, Sequence(50, some[0])));
    CHECK_FALSE(shuffled(random_protein(random, 5000), random_protein(random, 4300)));
}

TEST_CASE("fewer copies of longer sequences") {
    Random random(8);
    const auto scores = shuffled(random_protein(random, 4000), random_protein(random, 2500), kBlosum, PairStrand::kPlus,
                                 2, runnable_cpu_backends().back());
    REQUIRE(scores);
    CHECK(scores->copies == 40);
}
