// Queries cut into parts as blastp cuts them: how they are read for it, and how the parts' hits are
// merged.
#include "engines/blastp/query_parts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "engines/blastp/blastp_screen.h"
#include "engines/blastp/blastp_search.h"
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

// Returns the parts as "0-10 5-20, , 3-4". Parts of a query follow blanks, and queries follow
// commas.
std::string shown(const std::vector<std::vector<QueryStretch>>& parts) {
    std::string text;
    for (const auto& of_query : parts) {
        if (&of_query != &parts.front()) text += ",";
        for (const QueryStretch& part : of_query)
            text += " " + std::to_string(part.begin) + "-" + std::to_string(part.end);
    }
    return text;
}

std::string parts_of(const std::vector<std::uint64_t>& lengths) { return shown(parts_of_group(lengths)); }

Hsp hsp(std::int32_t score, std::uint64_t query_begin, std::uint64_t query_end, std::uint64_t target_begin,
        std::uint64_t target_end) {
    Hsp result;
    result.score_raw = score;
    result.query_begin = query_begin;
    result.query_end = query_end;
    result.target_begin = target_begin;
    result.target_end = target_end;
    result.query_seed = query_begin + 1;
    result.target_seed = target_begin + 1;
    result.evalue = 1.0 / score;
    return result;
}

}  // namespace

TEST_CASE("a group of up to 19,799 residues is searched whole, a longer one in chunks that overlap by 100 residues") {
    CHECK(parts_of({}).empty());
    CHECK(parts_of({19'799}).empty());
    CHECK(parts_of({9'999, 9'800}) == ",");
    CHECK(parts_of({19'800}) == " 0-9951 9851-19800");
    CHECK(parts_of({9'999, 9'801}) == " 0-9951 9851-9999, 0-9801");
    CHECK(parts_of({19'801}) == " 0-9951 9851-19801");
    CHECK(parts_of({35'000}) == " 0-11734 11634-23368 23268-35000");
}

TEST_CASE("queries at a chunk's border have two parts, the others one, empty ones none") {
    // The group has 20,000 residues, so its chunks are 0 .. 10,050 and 9,951 .. 19,999.
    CHECK(parts_of({9'940, 10, 0, 30, 10'020}) == " 0-9940, 0-10,, 0-30 1-30, 0-71 0-10020");
    CHECK(parts_of({9'951, 20, 10'029}) == " 0-9951, 0-20 0-20, 0-80 0-10029");
}

TEST_CASE("chunks cover a group of any length, neighbours share 100 residues") {
    for (std::uint64_t length = 19'800; length < 200'000; length += 997) {
        const auto parts = parts_of_group(std::vector{length}).front();
        REQUIRE(parts.size() == length / 9'900);
        CHECK(parts.front().begin == 0);
        CHECK(parts.back().end == length);
        for (std::size_t p = 1; p < parts.size(); ++p) CHECK(parts[p - 1].end - parts[p].begin == 100);
    }
}

TEST_CASE("queries are read in whole groups, whatever the limits of a batch") {
    ScratchFolder folder;
    {
        std::ofstream file(folder.path("q.fa"));
        const auto add = [&](const char* name, std::size_t residues) {
            file << ">" << name << "\n" << std::string(residues, 'A') << "\n";
        };
        add("a", 9'999);
        add("b", 9'801);
        add("c", 10'000);
        add("d", 5);
        add("e", 0);
    }
    PartedQueryReader one(folder.path("q.fa"), {.queries = 1, .residues = 1}, {});
    const auto first = one.next_batch(), second = one.next_batch(), third = one.next_batch(), none = one.next_batch();
    REQUIRE((first.ok() && second.ok() && third.ok() && none.ok()));
    REQUIRE(first->size() == 2);
    CHECK((*first)[0].parts.size() == 2);
    CHECK((*first)[1].parts.size() == 1);
    REQUIRE(second->size() == 1);
    CHECK((*second)[0].parts.empty());
    CHECK(third->size() == 2);
    CHECK(none->empty());
    PartedQueryReader all(folder.path("q.fa"), {}, {});
    const auto batch = all.next_batch();
    REQUIRE(batch.ok());
    REQUIRE(batch->size() == 5);
    CHECK((*batch)[1].group == 0);
    CHECK((*batch)[2].group == 1);
    CHECK((*batch)[4].group == 2);
}

TEST_CASE("HSPs of neighbouring parts that continue each other become one") {
    // The next part begins at 1000. The score is that of the denser rate over the whole box.
    std::vector<Hsp> hsps = {hsp(200, 900, 1'100, 0, 200), hsp(50, 100, 200, 300, 400)};
    merge_part(hsps, {hsp(300, 1'000, 1'300, 105, 400)}, 1'000);
    REQUIRE(hsps.size() == 2);
    CHECK(hsps[0].score_raw == 400);  // (200 + 300) / (200 + 300) for each of 400 residues
    CHECK(hsps[0].query_begin == 900);
    CHECK(hsps[0].query_end == 1'300);
    CHECK(hsps[0].target_begin == 0);
    CHECK(hsps[0].target_end == 400);
    CHECK(hsps[0].query_seed == 1'001);  // the better HSP's
    CHECK(hsps[0].evalue == 1.0 / 200);  // the old HSP's
    CHECK(hsps[1].score_raw == 50);
}

TEST_CASE(
    "HSPs stay apart: ten diagonals away, outside of each other, without the overlap, in a part that begins with the "
    "query") {
    const auto count = [](const Hsp& old, const Hsp& added, std::uint64_t part_begin) {
        std::vector<Hsp> hsps = {old};
        merge_part(hsps, {added}, part_begin);
        return hsps.size();
    };
    CHECK(count(hsp(200, 900, 1'100, 0, 200), hsp(300, 1'000, 1'300, 109, 400), 1'000) == 1);
    CHECK(count(hsp(200, 900, 1'100, 0, 200), hsp(300, 1'000, 1'300, 110, 400), 1'000) == 2);
    CHECK(count(hsp(200, 900, 1'050, 0, 150), hsp(300, 1'051, 1'300, 151, 400), 1'000) == 2);
    CHECK(count(hsp(200, 800, 1'000, 0, 200), hsp(300, 1'000, 1'300, 200, 400), 1'000) ==
          2);  // ends where the part begins
    CHECK(count(hsp(200, 900, 1'200, 0, 300), hsp(300, 1'100, 1'300, 200, 400), 1'000) ==
          2);  // begins behind the overlap
    CHECK(count(hsp(200, 0, 100, 0, 100), hsp(200, 0, 100, 0, 100), 0) == 2);
}

TEST_CASE(
    "a long query finds in its parts what it finds whole, one alignment across the border too, on every back end") {
    Random random(41);
    const Sequence query = random_protein(random, 20'000);
    std::vector<TestSequence> sequences;
    const auto take = [&](std::size_t begin, std::size_t end) {
        sequences.push_back(
            {"s" + std::to_string(begin), mutated(random, std::span(query).subspan(begin, end - begin), 0.6)});
    };
    take(100, 400);
    take(9'800, 10'200);  // over the border, of which both have 9,951 .. 10,050
    take(9'990, 10'010);
    take(19'700, 20'000);
    for (int i = 0; i < 20; ++i)
        sequences.push_back({"r" + std::to_string(i), random_protein(random, 1 + random.below(300))});
    ScratchFolder folder;
    make_database(folder.path("a.wsdb"), sequences);
    const auto databases = DatabaseSet::open({folder.path("a.wsdb")});
    REQUIRE(databases.ok());
    const ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    const auto statistics = AlignmentStatistics::find(scheme);
    SearchSpace space;
    space.database_residues = databases->residue_count();
    const auto parts = parts_of_group(std::vector<std::uint64_t>{query.size()}).front();
    const auto found = [&](CpuBackend backend, unsigned threads, std::span<const QueryStretch> cut) {
        BlastpParameters parameters{scheme, *statistics, WordRule::uncompressed(scheme.matrix, 3, 11)};
        parameters.backend = backend;
        parameters.evalue = 1e-3;  // weak ones can differ
        ThreadPool pool(threads);
        std::vector<BlastpQuery> queries;
        queries.push_back(make_blastp_query("q", query, {}, parameters, space, cut));
        BlastpScreen screen(*databases, parameters, space, 4096, pool);
        Progress progress;
        const auto searched = all_searched_parts(queries);
        const auto candidates =
            screen.find_candidates(searched, scanned_parts(searched), whole_share(*databases), progress);
        REQUIRE(candidates.ok());
        const auto hits = find_hits(BlastpSearch(*databases, parameters, space, {}, pool), queries, *candidates);
        REQUIRE(hits.ok());
        std::string text;
        for (const BlastpHit& hit : hits->front()) {
            for (const Hsp& hsp : hit.hsps) {
                text += std::to_string(hit.position) + " " + std::to_string(hsp.score_raw) + " " +
                        std::to_string(hsp.query_begin) + "-" + std::to_string(hsp.query_end) + " " +
                        std::to_string(hsp.target_begin) + "-" + std::to_string(hsp.target_end) + "\n";
            }
        }
        return text;
    };
    const std::string whole = found(CpuBackend::kPortable, 1, {}), cut = found(CpuBackend::kPortable, 1, parts);
    CHECK(std::ranges::count(whole, '\n') >= 3);
    CHECK(cut == whole);
    for (const CpuBackend backend : runnable_cpu_backends()) {
        CHECK_MESSAGE(found(backend, 3, parts) == cut, std::string(cpu_backend_name(backend)));
    }
}

TEST_CASE("a part is masked by itself, and lower case in parts reaches one residue further") {
    const ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    const auto statistics = AlignmentStatistics::find(scheme);
    BlastpParameters parameters{scheme, *statistics, WordRule::uncompressed(scheme.matrix, 3, 11)};
    parameters.lower_case_masking = true;
    SearchSpace space;
    space.database_residues = 1'000;
    Random random(7);
    const Sequence residues = random_protein(random, 300);
    const std::vector<QueryStretch> cut = {{0, 150}, {100, 300}};
    const auto query =
        make_blastp_query("q", residues, {{10, 20}, {95, 105}, {149, 150}, {299, 300}}, parameters, space, cut);
    const auto masked = [](const BlastpQuery& part) { return shown({part.masked}); };
    CHECK(masked(query) == " 10-20 95-105 149-150 299-300");
    CHECK_FALSE(query.finder);
    REQUIRE(query.parts.size() == 2);
    CHECK(masked(query.parts[0]) == " 10-21 95-106");  // nothing for a last residue alone
    CHECK(masked(query.parts[1]) == " 0-6 49-51");
    CHECK(query.parts[1].begin_in_whole == 100);
    CHECK(query.parts[1].residues == Sequence(residues.begin() + 100, residues.end()));
    CHECK((query.parts[0].finder && query.parts[1].finder));
    CHECK(query.parts[0].ungapped->lambda != query.parts[1].ungapped->lambda);
    CHECK(searched_parts(query).size() == 2);
    // Masks stay apart if they share at most one residue.
    const auto joined = [&](std::vector<QueryStretch> lower_case) {
        return masked(make_blastp_query("q", residues, std::move(lower_case), parameters, space));
    };
    CHECK(joined({{10, 20}, {20, 30}}) == " 10-20 20-30");
    CHECK(joined({{10, 20}, {19, 30}}) == " 10-20 19-30");
    CHECK(joined({{10, 20}, {18, 30}}) == " 10-30");
    CHECK(joined({{10, 20}, {19, 20}, {12, 13}}) == " 10-20 19-20");
    const auto whole = make_blastp_query("q", residues, {{10, 20}}, parameters, space);
    CHECK(searched_parts(whole).size() == 1);
    CHECK(searched_parts(whole).data() == &whole);
}

TEST_CASE(
    "the screen keeps every part and sequence of which blastp keeps something, at limits that are parts' own "
    "E-values") {
    Random random(43);
    const Sequence query = random_protein(random, 20'000);
    std::vector<TestSequence> sequences;
    for (std::size_t i = 0; i < 60; ++i) {
        const std::size_t begin = random.below(query.size() - 200);
        const double identity = 0.35 + 0.05 * static_cast<double>(random.below(8));
        sequences.push_back({"s" + std::to_string(i),
                             mutated(random, std::span(query).subspan(begin, 40 + random.below(150)), identity)});
    }
    ScratchFolder folder;
    make_database(folder.path("a.wsdb"), sequences);
    const auto databases = DatabaseSet::open({folder.path("a.wsdb")});
    REQUIRE(databases.ok());
    const WsdbReader& reader = databases->reader(0);
    const ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    const auto statistics = AlignmentStatistics::find(scheme);
    // The second part is a short one, whose E-values are far below the query's.
    const std::vector<QueryStretch> cut = {{0, 18'000}, {17'900, 20'000}};
    ThreadPool pool(2);
    for (const auto mode : {CompositionMode::kNone, CompositionMode::kScaled, CompositionMode::kConditional}) {
        for (const SearchSpace& space : {SearchSpace{.database_residues = databases->residue_count()},
                                         SearchSpace{.database_residues = 100'000'000'000},
                                         SearchSpace{.database_residues = 1'000, .effective = 1'000'000'000}}) {
            BlastpParameters parameters{scheme, *statistics, WordRule::uncompressed(scheme.matrix, 3, 11)};
            if (mode != CompositionMode::kNone) parameters.adjuster = CompositionAdjuster::create(scheme.matrix, mode);
            parameters.backend = runnable_cpu_backends().back();
            const auto find_all = [&](const BlastpQuery& part, const auto& take) {
                PairSearcher searcher(parameters, space);
                for (std::uint64_t rank = 0; rank < reader.sequence_count(); ++rank)
                    take(rank, searcher.find(part, sequences[reader.input_positions()[rank]].residues));
            };
            // The limits are the lowest E-values of some pairs, and the next lower numbers, which
            // exclude them.
            std::vector<double> limits = {10, 1e-3};
            const auto whole = make_blastp_query("q", query, {}, parameters, space, cut);
            const double stretch = parameters.preliminary_evalue(space) / parameters.evalue;
            for (const BlastpQuery& part : searched_parts(whole)) {
                find_all(part, [&](std::uint64_t rank, const std::vector<Hsp>& hsps) {
                    if (hsps.empty() || rank % fewer(12, 30) != 0) return;
                    const double limit = std::ranges::min(hsps, {}, &Hsp::evalue).evalue / stretch;
                    limits.push_back(limit);
                    limits.push_back(std::nextafter(limit, 0));
                });
            }
            REQUIRE(limits.size() > 4);
            for (const double limit : limits) {
                parameters.evalue = limit;
                std::vector<BlastpQuery> queries;
                queries.push_back(make_blastp_query("q", query, {}, parameters, space, cut));
                const auto parts = all_searched_parts(queries);
                REQUIRE(parts.size() == 2);
                BlastpScreen screen(*databases, parameters, space, 1 << 20, pool);
                Progress progress;
                const auto candidates =
                    screen.find_candidates(parts, scanned_parts(parts), whole_share(*databases), progress);
                REQUIRE(candidates.ok());
                for (std::size_t p = 0; p < parts.size(); ++p) {
                    find_all(*parts[p], [&](std::uint64_t rank, const std::vector<Hsp>& hsps) {
                        if (hsps.empty()) return;
                        CHECK_MESSAGE(std::ranges::find((*candidates)[p], rank, &Hit::rank) != (*candidates)[p].end(),
                                      "part ", p, ", rank ", rank, ", limit ", limit);
                    });
                }
            }
        }
    }
}
