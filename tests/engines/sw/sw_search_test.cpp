// search sw with composition-based statistics: the hits of a search are those of every pair taken
// by itself.
#include "engines/sw/sw_search.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/make_database.h"
#include "tests/support/random_proteins.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

// Returns the score by Gotoh's recurrence, literally, with scores of any scale.
std::int64_t naive_score(std::span<const ResidueCode> query, std::span<const ResidueCode> target,
                         const PairScores& scores) {
    constexpr std::int64_t kMinusInfinity = -(std::int64_t{1} << 40);
    std::vector<std::int64_t> h(target.size() + 1, 0), f(target.size() + 1, kMinusInfinity);
    std::int64_t best = 0;
    for (const ResidueCode q : query) {
        std::int64_t diagonal = 0, e = kMinusInfinity;
        for (std::size_t j = 1; j <= target.size(); ++j) {
            e = std::max(e - scores.gaps.extend, h[j - 1] - scores.gaps.first());
            f[j] = std::max(f[j] - scores.gaps.extend, h[j] - scores.gaps.first());
            const std::int64_t match = diagonal + scores.pairs[q][target[j - 1]];
            diagonal = h[j];
            h[j] = std::max({std::int64_t{0}, match, e, f[j]});
            best = std::max(best, h[j]);
        }
    }
    return best;
}

struct Case {
    Case() {
        Random random(51);
        for (int family = 0; family < 3; ++family) {
            const Sequence ancestor = random_protein(random, 80 + 50 * random.below(3));
            queries.push_back({"q" + std::to_string(family), mutated(random, ancestor, 0.9)});
            for (int member = 0; member < 10; ++member) {
                Sequence relative = mutated(random, ancestor, 0.35 + 0.06 * member);
                if (member % 3 == 0) relative.insert(relative.begin() + 30, 35, encode_residues("S").front());
                sequences.push_back({"f" + std::to_string(family) + "." + std::to_string(member), relative});
            }
            // A copy with low complexity in it, which is not masked there.
            Sequence copy = queries.back().residues;
            copy.insert(copy.end(), 40, encode_residues("E").front());
            sequences.push_back({"copy" + std::to_string(family), copy});
        }
        for (int i = 0; i < 60; ++i)
            sequences.push_back({"r" + std::to_string(i), random_protein(random, 1 + random.below(300))});
        sequences.push_back({"x", encode_residues("XXXXXXXX")});
        sequences.push_back({"empty", {}});
        make_database(folder.path("a.wsdb"), sequences);
        databases = *DatabaseSet::open({folder.path("a.wsdb")});
        settings.space.database_residues = databases->residue_count();
    }

    std::vector<std::vector<ReportedHit>> search(ReportNeeds needs = {true, true}, unsigned threads = 2) {
        ThreadPool pool(threads);
        SwSearch search(*databases, scheme, statistics, settings, pool);
        Progress progress;
        Observer observer;
        const auto hits = search.find_hits(queries, whole_share(*databases), progress);
        REQUIRE(hits.ok());
        auto reported = search.finish(queries, *hits, needs, {observer});
        REQUIRE(reported.ok());
        return *std::move(reported);
    }

    ScratchFolder folder;
    std::vector<TestSequence> sequences;
    std::vector<Query> queries;
    std::optional<DatabaseSet> databases;
    ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    std::optional<AlignmentStatistics> statistics = AlignmentStatistics::find(scheme);
    SwSearchSettings settings;
};

// Returns the hits, from each pair of the query and a sequence by itself: E-value, rounded score
// and position, in the order of a report.
std::vector<std::tuple<double, std::int32_t, std::uint64_t>> expected_hits(const Case& the, const Query& query) {
    const PairScores plain = pair_scores(the.scheme);
    std::vector<std::tuple<double, std::int32_t, std::uint64_t>> hits;
    AdjustedPair pair(*the.settings.adjuster, the.scheme, *the.statistics);
    for (std::size_t i = 0; i < the.sequences.size(); ++i) {
        const Sequence& target = the.sequences[i].residues;
        const auto candidate = static_cast<double>(naive_score(query.residues, target, plain));
        if (candidate == 0) continue;
        const auto evalue = [&](double score_raw) {
            return the.statistics->evalue(score_raw, query.residues.size(), target.size(), the.settings.space);
        };
        if (evalue(candidate) > the.settings.preliminary_evalue()) continue;
        pair.set_query(query.residues);
        pair.set_masked_target(target);
        if (the.sequences[i].header.starts_with("copy")) {
            const std::string family = the.sequences[i].header.substr(4);
            if (query.header == "q" + family) pair.set_target(target);
        }
        if (!pair.adjust()) continue;
        const double score = static_cast<double>(naive_score(pair.query(), pair.target(), pair.scores())) / 32;
        if (evalue(score) > the.settings.evalue || std::lround(score) == 0) continue;
        hits.emplace_back(evalue(score), static_cast<std::int32_t>(-std::lround(score)), i);
    }
    std::ranges::sort(hits);
    return hits;
}

}  // namespace

TEST_CASE("hits by adjusted scores are those of every pair by itself") {
    Case the;
    std::size_t hits = 0;
    for (const CompositionMode mode :
         {CompositionMode::kScaled, CompositionMode::kConditional, CompositionMode::kOptimized}) {
        the.settings.adjuster = CompositionAdjuster::create(the.scheme.matrix, mode);
        for (const double evalue : {1e-3, 10.0, std::numeric_limits<double>::infinity()}) {
            the.settings.evalue = evalue;
            const auto reported = the.search();
            for (std::size_t q = 0; q < the.queries.size(); ++q) {
                CAPTURE(q);
                const auto expected = expected_hits(the, the.queries[q]);
                REQUIRE(reported[q].size() == expected.size());
                hits += expected.size();
                for (std::size_t h = 0; h < expected.size(); ++h) {
                    const ReportedHit& hit = reported[q][h];
                    CHECK(std::tuple(hit.hit.evalue, -hit.hit.score_raw, hit.hit.input_position) == expected[h]);
                    CHECK(hit.target_header == the.sequences[hit.hit.input_position].header);
                    CHECK(hit.rule);
                    const Sequence& target = the.sequences[hit.hit.input_position].residues;
                    CHECK(std::ranges::equal(hit.aligned_target, std::span(target).subspan(hit.alignment.target_begin,
                                                                                           hit.aligned_target.size())));
                }
            }
        }
    }
    CHECK(hits > 300);
}

TEST_CASE("the longest list is cut after scores are adjusted, and needs, threads and chunks change nothing") {
    Case the;
    the.settings.adjuster = CompositionAdjuster::create(the.scheme.matrix, CompositionMode::kConditional);
    const auto all = the.search();
    the.settings.max_hits = 3;
    the.settings.chunk_bytes = 1;
    const auto best = the.search({false, false}, 3);
    for (std::size_t q = 0; q < all.size(); ++q) {
        REQUIRE(all[q].size() > 3);
        REQUIRE(best[q].size() == 3);
        for (std::size_t h = 0; h < 3; ++h) {
            CHECK(best[q][h].hit.rank == all[q][h].hit.rank);
            CHECK(best[q][h].hit.evalue == all[q][h].hit.evalue);
            CHECK(best[q][h].alignment == all[q][h].alignment);
            CHECK(best[q][h].target_header.empty());
        }
    }
    the.settings.max_hits = 0;
    CHECK(the.search()[0].size() == all[0].size());
}

TEST_CASE("without an adjuster hits and alignments are of the matrix's own scores") {
    Case the;
    const auto reported = the.search();
    for (std::size_t q = 0; q < reported.size(); ++q) {
        REQUIRE_FALSE(reported[q].empty());
        for (const ReportedHit& hit : reported[q]) {
            CHECK_FALSE(hit.rule);
            CHECK(hit.hit.score_raw == naive_score(the.queries[q].residues,
                                                   the.sequences[hit.hit.input_position].residues,
                                                   pair_scores(the.scheme)));
            CHECK(hit.alignment.score_raw == hit.hit.score_raw);
        }
    }
}
