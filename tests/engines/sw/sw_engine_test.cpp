// search sw in parts: any cut of the databases, merged in any order through bytes, reports what the
// whole reports.
#include "engines/sw/sw_engine.h"

#include <doctest/doctest.h>

#include <chrono>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "libcore/scoring/builtin_matrices.h"
#include "reports/report.h"
#include "tests/support/make_database.h"
#include "tests/support/random_proteins.h"
#include "tests/support/scan_in_parts.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/under_sanitizers.h"

namespace warpseq::testing {
namespace {

/// Families among random sequences, in two databases.
struct Fixture {
    ScratchFolder folder;
    std::vector<Query> queries;
    std::unique_ptr<Session> session;

    explicit Fixture(unsigned threads = 2) {
        Random random(71);
        std::vector<TestSequence> a, b;
        for (int family = 0; family < 3; ++family) {
            const Sequence ancestor = random_protein(random, 60 + random.below(100));
            queries.push_back({"q" + std::to_string(family), mutated(random, ancestor, 0.9)});
            for (int member = 0; member < 30; ++member)
                (member % 2 ? a : b).push_back({"f" + std::to_string(member), mutated(random, ancestor, 0.6)});
        }
        queries.push_back({"nothing", {}});
        for (int i = 0; i < 2000; ++i)
            (i % 3 == 0 ? b : a).push_back({"r" + std::to_string(i), random_protein(random, random.below(150))});
        make_database(folder.path("a.wsdb"), a);
        make_database(folder.path("b.wsdb"), b, {.codec = ResidueCodec::kZstd});
        SessionSettings settings{.database_files = {folder.path("a.wsdb"), folder.path("b.wsdb")}};
        settings.device.kind = DeviceRequest::Kind::kCpu;
        settings.threads = threads;
        settings.chunk_bytes = 5000;
        session = *Session::open(settings);
    }

    /// Returns the report of results that were converted to bytes and back.
    std::string report(const SwEngine& engine, const SwBatch& batch, const SwPartial& partial,
                       std::string_view outfmt) const {
        Observer observer;
        const auto needs = (*make_report_writer(outfmt))->needs();
        const auto hits = engine.finish(batch, partial, 0, batch.queries.size(), needs, {observer});
        REQUIRE_MESSAGE(hits.ok(), hits.status().message());
        const auto back = engine.results_from_bytes(engine.to_bytes(SwResults{0, *hits}), batch, "results");
        REQUIRE_MESSAGE(back.ok(), back.status().message());
        const std::string text = written(engine, batch, back->hits, outfmt);
        const bool same = text == written(engine, batch, *hits, outfmt);
        CHECK(same);
        return text;
    }

    std::string written(const SwEngine& engine, const SwBatch& batch, const std::vector<std::vector<ReportedHit>>& hits,
                        std::string_view outfmt) const {
        const auto writer = make_report_writer(outfmt);
        const RunDescription run{"sw", session->databases(), engine.settings().scheme, engine.statistics(),
                                 engine.settings().composition};
        std::string text;
        (*writer)->begin(run, text);
        for (std::size_t q = 0; q < batch.queries.size(); ++q) (*writer)->add(run, batch.queries[q], hits[q], text);
        (*writer)->end(run, text);
        return text;
    }
};

SwSettings blosum62() { return {.scheme = {*builtin_matrix("BLOSUM62"), {11, 1}}}; }

}  // namespace

TEST_CASE("1, 2, 3, 7 and 64 parts, shuffled and through bytes, make the whole's reports") {
    const Fixture fixture;
    Random random(72);
    std::size_t lines = 0;
    struct Case {
        std::uint64_t max_hits;
        double evalue;
        CompositionMode composition;
    };
    using Mode = CompositionMode;
    for (const Case& each :
         {Case{0, 1e4, Mode::kNone}, Case{1, 10, Mode::kNone}, Case{5, 1e4, Mode::kNone},
          Case{500, 10, Mode::kConditional}, Case{1, 1e4, Mode::kConditional}, Case{5, 1e-3, Mode::kScaled}}) {
        CAPTURE(each.max_hits);
        CAPTURE(each.evalue);
        SwSettings settings = blosum62();
        settings.max_hits = each.max_hits;
        settings.evalue = each.evalue;
        settings.composition = each.composition;
        const auto engine = SwEngine::create(*fixture.session, settings);
        REQUIRE(engine.ok());
        const auto batch = (*engine)->prepare(fixture.queries);
        REQUIRE(batch.ok());
        Observer observer;
        const auto whole = (*engine)->scan(*batch, whole_share(fixture.session->databases()), {observer});
        REQUIRE(whole.ok());
        const std::string table = fixture.report(**engine, *batch, *whole, "6");
        const std::string json = fixture.report(**engine, *batch, *whole, "json");
        lines += static_cast<std::size_t>(std::ranges::count(table, '\n'));
        for (const std::uint64_t parts : fewer<std::vector<std::uint64_t>>({1, 2, 3, 7, 64}, {3, 64})) {
            CAPTURE(parts);
            const SwPartial merged = scan_in_parts(**engine, *fixture.session, *batch, parts, random);
            const bool same = fixture.report(**engine, *batch, merged, "6") == table &&
                              fixture.report(**engine, *batch, merged, "json") == json;
            CHECK(same);
        }
    }
    CHECK(lines > 1000);
}

TEST_CASE("an empty partial takes what is merged into it; one of another batch is refused") {
    const Fixture fixture;
    const auto engine = SwEngine::create(*fixture.session, blosum62());
    const auto batch = (*engine)->prepare(fixture.queries), other = (*engine)->prepare({fixture.queries[0]});
    Observer observer;
    auto whole = (*engine)->scan(*batch, whole_share(fixture.session->databases()), {observer});
    REQUIRE(whole.ok());
    const std::string report = fixture.report(**engine, *batch, *whole, "6");
    CHECK_FALSE((*engine)->finish(*other, *whole, 0, 1, {}, {observer}).ok());
    SwPartial sum;
    CHECK_FALSE((*engine)->finish(*batch, sum, 0, 1, {}, {observer}).ok());
    SwPartial again = *whole;
    CHECK((*engine)->merge(sum, *std::move(whole)).ok());
    CHECK(fixture.report(**engine, *batch, sum, "6") == report);
    // The same share is merged again. A pair that is found twice was searched twice.
    const Status twice = (*engine)->merge(sum, std::move(again));
    CHECK(twice.code() == StatusCode::kInvalidInput);
    CHECK(twice.message().find("was found in two parts of the search") != std::string::npos);
}

TEST_CASE("batches that share the memory are as much smaller as there are more of them in flight") {
    const Fixture fixture;
    SwSettings settings = blosum62();
    settings.evalue = std::numeric_limits<double>::infinity();
    settings.max_hits = 0;
    const auto engine = SwEngine::create(*fixture.session, settings);
    REQUIRE(engine.ok());
    const std::uint64_t of_many = (*engine)->batch_limits(2'000).queries,
                        of_more = (*engine)->batch_limits(8'000).queries;
    CHECK(of_many < (*engine)->batch_limits().queries);
    CHECK(of_more <= of_many / 4 + 1);
    CHECK(of_more >= 1);
}

TEST_CASE("partials that are cut, changed, or of another search are refused") {
    const Fixture fixture;
    SwSettings settings = blosum62();
    settings.max_hits = 3;
    const auto engine = SwEngine::create(*fixture.session, settings);
    REQUIRE(engine.ok());
    const auto batch = (*engine)->prepare(fixture.queries);
    Observer observer;
    const auto whole = (*engine)->scan(*batch, whole_share(fixture.session->databases()), {observer});
    REQUIRE(whole.ok());
    const auto read = [&](const std::string& bytes) {
        const auto partial = (*engine)->from_bytes(bytes, *batch, "it");
        if (!partial.ok()) return false;
        fixture.report(**engine, *batch, *partial, "6");
        return true;
    };
    SwPartial small = *whole;
    CHECK(survives_forgery((*engine)->to_bytes(small),
                           [&](const std::string& bytes) { return (*engine)->from_bytes(bytes, *batch, "it").ok(); }));
    CHECK(read((*engine)->to_bytes(*whole)));
    const auto results = (*engine)->finish(*batch, *whole, 0, batch->queries.size(), {}, {observer});
    REQUIRE(results.ok());
    CHECK(survives_forgery((*engine)->to_bytes(SwResults{0, *results}), [&](const std::string& bytes) {
        const auto back = (*engine)->results_from_bytes(bytes, *batch, "it");
        if (back.ok() && back->hits.size() == batch->queries.size()) fixture.written(**engine, *batch, back->hits, "0");
        return back.ok();
    }));
    // These are some queries of the batch, and more than it has.
    const auto some = (*engine)->finish(*batch, *whole, 1, 2, {}, {observer});
    REQUIRE(some.ok());
    const auto some_back = (*engine)->results_from_bytes((*engine)->to_bytes(SwResults{1, *some}), *batch, "it");
    REQUIRE(some_back.ok());
    CHECK(some_back->first_query == 1);
    CHECK(some_back->hits.size() == 2);
    for (const std::uint64_t first : {batch->queries.size() - 1, batch->queries.size() + 1, ~std::uint64_t{0}})
        CHECK_FALSE((*engine)->results_from_bytes((*engine)->to_bytes(SwResults{first, *some}), *batch, "it").ok());
    const auto refused = [&](auto change) {
        SwPartial partial = *whole;
        change(partial);
        return !read((*engine)->to_bytes(partial));
    };
    REQUIRE(whole->hits[0].size() == 3);
    CHECK(refused([](SwPartial& partial) { partial.hits.pop_back(); }));
    CHECK(refused([](SwPartial& partial) { partial.hits[0][0].database = 2; }));
    CHECK(refused([](SwPartial& partial) { partial.hits[0][0].rank = 1'000'000; }));
    CHECK(refused([](SwPartial& partial) { ++partial.hits[0][0].input_position; }));
    CHECK(refused([](SwPartial& partial) { std::swap(partial.hits[0][0], partial.hits[0][1]); }));
    CHECK(refused([](SwPartial& partial) { partial.hits[0][0].evalue = std::numeric_limits<double>::quiet_NaN(); }));
    CHECK(refused([](SwPartial& partial) { partial.hits[0].push_back(partial.hits[0].back()); }));
}

TEST_CASE("a search that is stopped ends soon and says so") {
    Fixture fixture;
    Random random(73);
    std::vector<Query> long_queries;
    for (int i = 0; i < 400; ++i) long_queries.push_back({"q", random_protein(random, 2000)});
    const auto engine = SwEngine::create(*fixture.session, blosum62());
    const auto batch = (*engine)->prepare(std::move(long_queries));
    Observer observer;
    std::stop_source stop;
    const auto share = whole_share(fixture.session->databases());
    std::chrono::steady_clock::time_point stopped;
    std::thread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        stopped = std::chrono::steady_clock::now();
        stop.request_stop();
    });
    const auto partial = (*engine)->scan(*batch, share, {observer, stop.get_token()});
    const auto ended = std::chrono::steady_clock::now();
    stopper.join();
    REQUIRE_FALSE(partial.ok());
    CHECK(partial.status().code() == StatusCode::kInterrupted);
    // Sanitizers, and other work on the machine, make everything slower.
    CHECK(ended - stopped < std::chrono::seconds(2));
    MESSAGE("ended " << std::chrono::duration<double>(ended - stopped).count() << " s after the stop");
    // The session and the engine go on.
    const auto few = (*engine)->prepare(fixture.queries);
    CHECK((*engine)->scan(*few, share, {observer}).ok());
}

TEST_CASE("settings without statistics or frequencies are refused when the engine is made") {
    const Fixture fixture;
    SwSettings settings = blosum62();
    settings.scheme.gaps = {3, 3};
    CHECK_FALSE(SwEngine::create(*fixture.session, settings).ok());
    settings.evalue = std::numeric_limits<double>::infinity();
    CHECK(SwEngine::create(*fixture.session, settings).ok());
    settings.composition = CompositionMode::kScaled;
    CHECK_FALSE(SwEngine::create(*fixture.session, settings).ok());
}

}  // namespace warpseq::testing
