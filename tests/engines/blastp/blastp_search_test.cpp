// blastp's search: the screen loses nothing, and the hits do not depend on threads, chunks or back
// ends.
#include "engines/blastp/blastp_search.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "engines/blastp/blastp_screen.h"
#include "engines/blastp/pair_searcher.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/blastp_hits.h"
#include "tests/support/make_database.h"
#include "tests/support/random_proteins.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/under_sanitizers.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

struct Case {
    Case() {
        Random random(23);
        std::vector<TestSequence> sequences;
        for (int family = 0; family < 4; ++family) {
            const Sequence ancestor = random_protein(random, 60 + 60 * random.below(5));
            queries.push_back(mutated(random, ancestor, 0.8));
            for (int member = 0; member < 12; ++member) {
                Sequence relative = mutated(random, ancestor, 0.3 + 0.05 * member);
                if (member % 4 == 0) relative.insert(relative.end(), ancestor.begin(), ancestor.end());
                sequences.push_back({"f" + std::to_string(family) + "." + std::to_string(member), relative});
            }
        }
        for (int i = 0; i < 150; ++i)
            sequences.push_back({"r" + std::to_string(i), random_protein(random, 1 + random.below(300))});
        sequences.push_back(sequences.front());  // a second copy: as good, and reported first
        sequences.push_back({"empty", {}});
        queries.push_back(encode_residues("XXXXXXXXXX"));
        queries.push_back(encode_residues("WC"));
        make_database(folder.path("a.wsdb"), sequences);
        databases = *DatabaseSet::open({folder.path("a.wsdb")});
        space.database_residues = databases->residue_count();
    }

    BlastpParameters parameters(CpuBackend backend) const {
        BlastpParameters result{scheme, *statistics, WordRule::uncompressed(scheme.matrix, 3, 11)};
        result.backend = backend;
        return result;
    }

    std::vector<BlastpQuery> prepared(const BlastpParameters& parameters) const {
        std::vector<BlastpQuery> result;
        for (const Sequence& query : queries) result.push_back(make_blastp_query("q", query, {}, parameters, space));
        return result;
    }

    // Returns the hits of all pairs, without a screen.
    std::vector<std::vector<Hit>> all_pairs() const {
        std::vector<Hit> pairs;
        const WsdbReader& reader = databases->reader(0);
        for (std::uint64_t rank = 0; rank < reader.sequence_count(); ++rank)
            pairs.push_back({0, 0, 0, rank, reader.input_positions()[rank]});
        return std::vector(queries.size(), pairs);
    }

    ScratchFolder folder;
    std::vector<Sequence> queries;
    std::optional<DatabaseSet> databases;
    SearchSpace space;
    ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    std::optional<AlignmentStatistics> statistics = AlignmentStatistics::find(scheme);
};

}  // namespace

TEST_CASE("the screen keeps the hits of all pairs, on every back end, with any threads and chunks") {
    const Case c;
    for (const double evalue : fewer<std::vector<double>>({1e-3, 10, 1000}, {10})) {
        BlastpParameters reference = c.parameters(CpuBackend::kReference);
        reference.evalue = evalue;
        ThreadPool one(1);
        const auto reference_queries = c.prepared(reference);
        BlastpSearch all(*c.databases, reference, c.space, {}, one);
        const auto expected = find_hits(all, reference_queries, c.all_pairs());
        REQUIRE(expected.ok());
        CHECK((*expected)[0].size() >= 6);
        CHECK((*expected)[4].empty());  // this query has only X
        for (const CpuBackend backend : runnable_cpu_backends()) {
            for (const unsigned threads : {1u, 3u}) {
                ThreadPool pool(threads);
                BlastpParameters parameters = c.parameters(backend);
                parameters.evalue = evalue;
                const auto queries = c.prepared(parameters);
                BlastpScreen screen(*c.databases, parameters, c.space, threads == 1 ? std::uint64_t{1} << 30 : 4096,
                                    pool);
                Progress progress;
                const auto parts = all_searched_parts(queries);
                const auto candidates =
                    screen.find_candidates(parts, scanned_parts(parts), whole_share(*c.databases), progress);
                REQUIRE(candidates.ok());
                BlastpSearch search(*c.databases, parameters, c.space, {}, pool);
                const auto hits = find_hits(search, queries, *candidates);
                REQUIRE(hits.ok());
                CHECK_MESSAGE(shown(*hits) == shown(*expected), std::string(cpu_backend_name(backend)), ", ", threads,
                              " threads, E ", evalue);
            }
        }
    }
}

TEST_CASE(
    "without gaps the screen keeps the pairs whose best HSP is just significant, and the lists are those of all "
    "pairs" *
    doctest::test_suite(kLaterUnderSanitizers)) {
    const Case c;
    ThreadPool pool(2);
    int at_limit = 0;
    for (const CpuBackend backend : runnable_cpu_backends()) {
        BlastpParameters parameters = c.parameters(backend);
        parameters.ungapped = true;
        parameters.database_sequences = c.databases->sequence_count();
        const auto found = [&](bool screened) {
            const auto queries = c.prepared(parameters);
            const auto parts = all_searched_parts(queries);
            Progress progress;
            const auto left = *BlastpScreen(*c.databases, parameters, c.space, 4096, pool)
                                   .find_candidates(parts, scanned_parts(parts), whole_share(*c.databases), progress);
            const BlastpSearch search(*c.databases, parameters, c.space, {}, pool);
            return *find_hits(search, queries, screened ? left : c.all_pairs());
        };
        parameters.evalue = 1000;
        const auto many = found(true);
        CHECK(many[0].size() > 10);
        CHECK(shown(many) == shown(found(false)));
        for (std::size_t h = 0; h < many[0].size(); h += fewer<std::size_t>(3, 18)) {
            parameters.evalue = many[0][h].evalue;
            const auto just = found(true);
            CHECK(shown(just) == shown(found(false)));
            // If rounding raises the cutoff of words above the score, blastp does not find it
            // either.
            at_limit += std::ranges::count(just[0], many[0][h].position, &BlastpHit::position) == 1;
        }
    }
    CHECK(at_limit > fewer(10, 3));
}

TEST_CASE("limits: targets by E-value with the later of equals first, HSPs a target, coverage") {
    const Case c;
    const BlastpParameters parameters = c.parameters(CpuBackend::kPortable);
    ThreadPool pool(2);
    const auto queries = c.prepared(parameters);
    const auto found = [&](const BlastpLimits& limits) {
        return *find_hits(BlastpSearch(*c.databases, parameters, c.space, limits, pool), queries, c.all_pairs());
    };
    const auto all = found({});
    const auto copies =
        std::ranges::count_if(all[0], [&](const BlastpHit& hit) { return hit.position == 0 || hit.position == 198; });
    CHECK(copies == 2);
    for (std::size_t h = 1; h < all[0].size(); ++h) CHECK_FALSE(reported_before(all[0][h], all[0][h - 1]));
    const auto one_is_before =
        std::ranges::find(all[0], 198u, &BlastpHit::position) < std::ranges::find(all[0], 0u, &BlastpHit::position);
    CHECK(one_is_before);
    const auto three = found({.max_targets = 3});
    REQUIRE(three[0].size() == 3);
    for (std::size_t h = 0; h < 3; ++h) CHECK(three[0][h].position == all[0][h].position);
    bool several = false;
    for (const BlastpHit& hit : all[0]) several = several || hit.hsps.size() > 1;
    CHECK(several);
    const auto single = found({.max_hsps = 1}), covering = found({.least_coverage_percent = 90});
    for (const BlastpHit& hit : single[0]) CHECK(hit.hsps.size() == 1);
    for (const BlastpHit& hit : covering[0]) {
        for (const Hsp& hsp : hit.hsps)
            CHECK(coverage_percent(hsp.query_end - hsp.query_begin, queries[0].residues.size()) >= 90);
    }
}

TEST_CASE("hits whose E-values are all above 2^31 - 1 are ordered by score") {
    const auto hit = [](std::uint64_t position, std::int32_t score_raw, std::vector<double> evalues) {
        BlastpHit made;
        made.position = position;
        for (const double evalue : evalues) {
            made.hsps.emplace_back();
            made.hsps.back().score_raw = score_raw;
            made.hsps.back().evalue = evalue;
        }
        set_evalue(made);
        return made;
    };
    std::vector<BlastpHit> hits = {hit(0, 50, {3e9}), hit(1, 60, {5e9, 4e9}), hit(2, 40, {2e9, 9e9}),
                                   hit(3, 60, {1e300})};
    CHECK(hits[1].evalue == 2'147'483'647);
    CHECK(hits[2].evalue == 2e9);
    keep_best(hits, hits.size());
    std::vector<std::uint64_t> order;
    for (const BlastpHit& each : hits) order.push_back(each.position);
    CHECK(order == std::vector<std::uint64_t>{2, 3, 1, 0});
}

TEST_CASE("a restricted extension may score above Smith-Waterman: the screen allows for it, at the limit too") {
    // After the seed, the query continues with W. In the target the same W is 28 residues further
    // on, where the first gap ends at the X-drop. It is followed by some more residues, which are a
    // second gap at the price of extending (kernels/seeds/gapped_extension.h). The rest continues
    // like the query, and no three residues of it make a word. A W five residues after the seed
    // makes it the seed.
    Random random(5);
    const ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    const auto statistics = AlignmentStatistics::find(scheme);
    BlastpParameters parameters{scheme, *statistics, WordRule::uncompressed(scheme.matrix, 3, 11)};
    parameters.adjuster = CompositionAdjuster::create(scheme.matrix, CompositionMode::kConditional);
    parameters.backend = runnable_cpu_backends().back();
    ThreadPool pool(1);
    int kept = 0, needed = 0;
    for (int i = 0; i < fewer(1000, 300); ++i) {
        SearchSpace space;
        // Sizes go up to the largest numbers. Up to 5 * 10^10 residues, none of 633 pairs needed
        // the allowance.
        space.database_residues = std::uint64_t{100'000'000} << random.below(37);
        Sequence query = random_protein(random, 7 + random.below(4)), target = query;
        const auto append = [](Sequence& to, const Sequence& more) { to.insert(to.end(), more.begin(), more.end()); };
        Sequence behind = encode_residues("W"), goes_on;
        for (std::size_t k = 20 + random.below(30); k > 0; --k) {
            const ResidueCode same = encode_residues("AILVS")[random.below(5)];
            const bool first = random.below(2) == 0;
            append(behind, {same, encode_residues(first ? "E" : "K")[0]});
            append(goes_on, {same, encode_residues(first ? "Q" : "R")[0]});
        }
        behind[4] = encode_residues("W")[0];
        append(query, behind);
        append(target, random_protein(random, 4));
        append(target, encode_residues("W"));
        append(target, random_protein(random, 22));
        append(target, encode_residues("W"));
        append(target, random_protein(random, 1 + random.below(4)));
        append(target, goes_on);
        parameters.evalue = 10;
        const auto found =
            PairSearcher(parameters, space).find(make_blastp_query("q", query, {}, parameters, space), target);
        if (found.empty()) continue;
        const double lowest = std::ranges::min(found, {}, &Hsp::evalue).evalue;
        ScratchFolder folder;
        make_database(folder.path("a.wsdb"), {{"t", target}});
        const auto databases = DatabaseSet::open({folder.path("a.wsdb")});
        REQUIRE(databases.ok());
        // Search again with a limit at which this HSP is just significant.
        parameters.evalue = lowest / (parameters.preliminary_evalue(space) / parameters.evalue);
        std::vector<BlastpQuery> queries;
        queries.push_back(make_blastp_query("q", query, {}, parameters, space));
        if (PairSearcher(parameters, space).find(queries[0], target).empty()) continue;
        ++kept;
        const auto parts = all_searched_parts(queries);
        BlastpScreen screen(*databases, parameters, space, 1 << 20, pool);
        Progress progress;
        auto scanned = scanned_parts(parts);
        const TargetShare share = whole_share(*databases);
        CHECK(screen.find_candidates(parts, scanned, share, progress)->front().size() == 1);
        scanned[0].allowance = {};
        needed += screen.find_candidates(parts, scanned, share, progress)->front().empty() ? 1 : 0;
    }
    CHECK(kept > fewer(100, 30));
    CHECK(needed > 0);
    MESSAGE(kept, " pairs, of which the allowance keeps ", needed);
}

TEST_CASE("the allowance is that of one side, and grows to twice as much with the score") {
    const ScoreAllowance none, usual{.side_raw = 11, .jump_raw = 28};
    CHECK(none.lowest(50) == 50);
    CHECK(usual.lowest(61) == 50);
    CHECK(usual.lowest(78) == 67);
    CHECK(usual.lowest(80) == 68);
    CHECK(usual.lowest(200) == 178);
    CHECK(usual.lowest(8) == 1);
}
