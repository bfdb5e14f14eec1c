// search blastp in parts: any cut of the databases, merged in any order through bytes, reports what
// the whole reports.
#include "engines/blastp/blastp_engine.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "libcore/scoring/builtin_matrices.h"
#include "reports/blast/blastp_report.h"
#include "tests/support/make_database.h"
#include "tests/support/random_proteins.h"
#include "tests/support/scan_in_parts.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/under_sanitizers.h"

namespace warpseq::testing {
namespace {

/// Notes as they come.
class Notes final : public Observer {
   public:
    void note(const std::string& text) override { texts.push_back(text); }
    std::vector<std::string> texts;
};

BlastpSettings blosum62() { return {.scheme = {*builtin_matrix("BLOSUM62"), {11, 1}}}; }

/// Two databases with families among random sequences. There is a query of each family. Further
/// queries are one in parts, one without statistics, and an empty one.
struct Fixture {
    ScratchFolder folder;
    std::vector<Sequence> queries;
    std::unique_ptr<Session> session;

    explicit Fixture(std::size_t members = 25, std::size_t others = 300) {
        Random random(81);
        std::vector<TestSequence> a, b;
        const auto add = [&](const TestSequence& sequence) { (random.below(2) == 0 ? a : b).push_back(sequence); };
        for (int family = 0; family < 3; ++family) {
            const Sequence ancestor = random_protein(random, 60 + random.below(60));
            queries.push_back(mutated(random, ancestor, 0.9));
            for (std::size_t member = 0; member < members; ++member) {
                Sequence relative = mutated(random, ancestor, 0.4 + 0.01 * static_cast<double>(member % 40));
                if (member % 4 == 0) relative.insert(relative.end(), ancestor.begin(), ancestor.end());
                add({"f" + std::to_string(member), relative});
                if (member % 5 == 0) add({"copy", relative});
            }
        }
        const Sequence long_query = random_protein(random, 20'000);
        const auto take = [&](std::size_t begin, std::size_t residues) {
            add({"l", mutated(random, std::span(long_query).subspan(begin, residues), 0.6)});
        };
        // Take sequences from both sides of the border of its two parts, 9,851 .. 9,951, and across
        // it.
        for (std::size_t k = 0; k < std::min<std::size_t>(members, 12); ++k) {
            take(100 + 500 * k, 150);
            take(9'700 + 10 * k, 300);
            take(12'000 + 500 * k, 120);
        }
        queries.push_back(long_query);
        queries.push_back(encode_residues("XXXXXXXXXXXX"));
        queries.emplace_back();
        for (std::size_t i = 0; i < others; ++i) add({"r", random_protein(random, random.below(150))});
        make_database(folder.path("a.wsdb"), a);
        make_database(folder.path("b.wsdb"), b, {.codec = ResidueCodec::kZstd});
        SessionSettings settings{.database_files = {folder.path("a.wsdb"), folder.path("b.wsdb")}};
        settings.device.kind = DeviceRequest::Kind::kCpu;
        settings.threads = 2;
        settings.chunk_bytes = 5000;
        session = *Session::open(settings);
    }

    std::unique_ptr<BlastpEngine> engine(const BlastpSettings& settings) const {
        auto made = BlastpEngine::create(*session, settings);
        REQUIRE_MESSAGE(made.ok(), made.status().message());
        return *std::move(made);
    }

    BlastpBatch batch_of(const BlastpEngine& engine, const std::vector<Sequence>& sequences) const {
        std::vector<QueryWithParts> read;
        for (const Sequence& sequence : sequences) {
            auto parts = parts_of_group(std::vector<std::uint64_t>{sequence.size()}).front();
            const std::uint64_t group = read.size();
            read.push_back({{"q" + std::to_string(group), sequence}, std::move(parts), group});
        }
        Observer observer;
        auto batch = engine.prepare(std::move(read), {observer});
        REQUIRE(batch.ok());
        return *std::move(batch);
    }

    BlastpPartial whole(BlastpEngine& engine, const BlastpBatch& batch) const {
        Observer observer;
        auto partial = engine.scan(batch, whole_share(session->databases()), {observer});
        REQUIRE_MESSAGE(partial.ok(), partial.status().message());
        return *std::move(partial);
    }

    std::vector<BlastpQueryResult> finish(BlastpEngine& engine, const BlastpBatch& batch,
                                          const BlastpPartial& partial) const {
        Observer observer;
        auto results = engine.finish(batch, partial, {observer});
        REQUIRE_MESSAGE(results.ok(), results.status().message());
        return *std::move(results);
    }

    std::string report(BlastpEngine& engine, const BlastpBatch& batch, const BlastpPartial& partial) const {
        return report(engine, batch, finish(engine, batch, partial));
    }

    std::string report(const BlastpEngine& engine, const BlastpBatch& batch,
                       const std::vector<BlastpQueryResult>& results) const {
        const BlastpNames names{.version = "BLASTP", .databases = "a b", .title = "a; b"};
        const BlastpRun run{session->databases(), names, engine.settings(), engine.statistics()};
        std::string text;
        for (const char* outfmt : {"7 std qseq sseq btop stitle", "15"}) {
            const auto writer = *make_blastp_report(outfmt, {});
            writer->begin(run, text);
            for (std::size_t q = 0; q < results.size(); ++q) {
                const BlastpQueryResult& result = results[q];
                REQUIRE(
                    writer
                        ->add(run,
                              {batch.queries[q], q + 1, batch.queries[q].residues.size(), result.effective_search_space,
                               result.length_adjustment, result.hits, result.headers},
                              text)
                        .ok());
            }
            writer->end(run, text);
        }
        return text;
    }
};

}  // namespace

namespace {

/// Compares parts with the whole. The parts are shuffled and go through bytes. Returns the whole.
BlastpPartial compare_parts(const Fixture& fixture, const BlastpSettings& settings,
                            const std::vector<Sequence>& queries, const std::vector<std::uint64_t>& counts) {
    Random random(82);
    const auto engine = fixture.engine(settings);
    const auto batch = fixture.batch_of(*engine, queries);
    BlastpPartial whole = fixture.whole(*engine, batch);
    const std::string expected = fixture.report(*engine, batch, whole);
    CHECK(std::ranges::count(expected, '\n') > 30);
    for (const std::uint64_t parts : counts) {
        CAPTURE(parts);
        const BlastpPartial merged = scan_in_parts(*engine, *fixture.session, batch, parts, random);
        const auto results = fixture.finish(*engine, batch, merged);
        const auto back = engine->results_from_bytes(engine->to_bytes(results), batch, "results");
        REQUIRE_MESSAGE(back.ok(), back.status().message());
        const bool same = fixture.report(*engine, batch, *back) == expected;
        CHECK(same);
    }
    return whole;
}

}  // namespace

TEST_CASE("parts, shuffled and through bytes, make the whole's reports" *
          doctest::test_suite(testing::kLaterUnderSanitizers)) {
    Fixture fixture;
    using Mode = CompositionMode;
    std::vector<BlastpSettings> cases(17, blosum62());
    cases[0].composition = cases[1].composition = cases[2].composition = Mode::kNone;
    cases[0].limits.max_targets = 1;
    cases[1].limits.max_targets = 5;
    cases[2].limits.max_hsps = 2;
    cases[3].composition = cases[4].composition = Mode::kScaled;
    cases[4].limits.max_targets = 2;
    cases[5].limits = {.max_targets = 5, .max_hsps = 1, .least_coverage_percent = 50};
    cases[6].composition = Mode::kOptimized;
    cases[7].limits.max_targets = 1;
    cases[7].evalue = 1000;
    cases[8].search_space = 1'000'000'000;
    cases[9].database_residues = 5'000'000'000;
    cases[10].ungapped = true;
    cases[10].composition = Mode::kNone;
    cases[10].limits.max_targets = 4;
    cases[11].limits.culling = 3;
    cases[12].limits.best_hits = BestHitLimits{.overhang = 0.2, .score_edge = 0.05};
    cases[12].composition = Mode::kNone;
    cases[13].limits.best_of_target = true;
    cases[14] = cases[10];
    cases[14].limits = {.culling = 20};
    cases[15].smith_waterman = true;
    cases[15].limits.max_targets = 5;
    // Select two of three sequences.
    const DatabaseSet& databases = fixture.session->databases();
    std::vector<TargetMembers> members;
    for (std::size_t d = 0; d < databases.size(); ++d) {
        TargetMembers& of_database = members.emplace_back(databases.reader(d).sequence_count());
        for (std::uint64_t rank = 0; rank < of_database.sequence_count(); ++rank)
            if (rank % 3 != 0) of_database.add(rank);
    }
    cases[16].cutoffs_by_shortest_target = true;
    const auto parts = fewer<std::vector<std::uint64_t>>({1, 2, 3, 7, 64}, {64});
    const auto of_case = [](std::size_t c) { return fewer<std::vector<std::uint64_t>>({3, 7 + c}, {3 + c % 5}); };
    std::size_t full_lists = 0;
    for (std::size_t c = 0; c < cases.size(); ++c) {
        CAPTURE(c);
        if (c == 16) {
            SessionSettings settings = fixture.session->settings();
            settings.choose_targets = [&](const DatabaseSet&, const ThreadPool&) { return members; };
            fixture.session = *Session::open(settings);
        }
        const BlastpPartial whole = c == 1 ? compare_parts(fixture, cases[c], fixture.queries, parts)
                                           : compare_parts(fixture, cases[c], fixture.queries, of_case(c));
        REQUIRE(whole.hits.size() == fixture.queries.size() + (cases[c].ungapped ? 0 : 1));
        if (c == 16) {
            std::size_t hits = 0;
            for (const auto& of_part : whole.hits) {
                for (const BlastpHit& hit : of_part) CHECK(hit.rank % 3 != 0);
                hits += of_part.size();
            }
            CHECK(hits > 20);
            // A target that is not selected is no hit of such a search.
            const auto engine = fixture.engine(cases[c]);
            const auto batch = fixture.batch_of(*engine, fixture.queries);
            BlastpPartial forged = whole;
            forged.hits[0].resize(1);
            BlastpHit& hit = forged.hits[0][0];
            CHECK(engine->from_bytes(engine->to_bytes(forged), batch, "it").ok());
            hit.rank -= hit.rank % 3;
            for (std::uint64_t place = 0; place < fixture.session->databases().sequence_count(); ++place) {
                hit.position = place;
                CHECK_FALSE(engine->from_bytes(engine->to_bytes(forged), batch, "it").ok());
            }
        }
        for (const auto& of_part : whole.hits) full_lists += c < 2 && of_part.size() == 10;
    }
    CHECK(full_lists >= 8);
}

TEST_CASE("more hits than composition-based statistics look at, equal ones among them") {
    const Fixture fixture(1000, 10);
    BlastpSettings settings = blosum62();
    settings.limits.max_targets = 2;
    for (const CompositionMode mode : {CompositionMode::kConditional, CompositionMode::kScaled}) {
        settings.composition = mode;
        const BlastpPartial whole = compare_parts(fixture, settings, {fixture.queries[0], fixture.queries[1]},
                                                  fewer<std::vector<std::uint64_t>>({2, 7, 64}, {7}));
        for (const auto& of_part : whole.hits) CHECK(of_part.size() == 1050);
    }
}

TEST_CASE("partials that are cut, changed, or of another search are refused") {
    const Fixture fixture(4, 60);
    BlastpSettings settings = blosum62();
    settings.limits.max_targets = 3;
    for (const CompositionMode mode : {CompositionMode::kNone, CompositionMode::kConditional}) {
        settings.composition = mode;
        const auto engine = fixture.engine(settings);
        const auto batch = fixture.batch_of(*engine, {fixture.queries[0], fixture.queries[3], fixture.queries[4]});
        BlastpPartial whole = fixture.whole(*engine, batch);
        // The partial keeps a few hits of each query, so that every byte can be changed.
        for (auto& of_part : whole.hits) of_part.resize(std::min<std::size_t>(of_part.size(), 3));
        std::size_t accepted = 0;
        const auto read = [&](const std::string& bytes) {
            const auto partial = engine->from_bytes(bytes, batch, "it");
            if (!partial.ok()) return false;
            fixture.report(*engine, batch, *partial);
            ++accepted;
            return true;
        };
        const std::string packet = engine->to_bytes(whole);
        REQUIRE(read(packet));
        CHECK(survives_forgery(packet, read));
        // The same share is merged twice. A pair that is found twice was searched twice.
        BlastpPartial once = whole;
        const Status twice = engine->merge(once, BlastpPartial(whole));
        CHECK(twice.code() == StatusCode::kInvalidInput);
        CHECK(twice.message().find("was found in two parts of the search") != std::string::npos);
        const std::string results = engine->to_bytes(fixture.finish(*engine, batch, whole));
        CHECK(survives_forgery(results, [&](const std::string& bytes) {
            const auto back = engine->results_from_bytes(bytes, batch, "it");
            if (back.ok()) fixture.report(*engine, batch, *back);
            return back.ok();
        }));
        Random random(83);
        const auto forge = [&](std::string& bytes) {
            const std::uint64_t values[] = {0, 1, 2, 0x7fffffff, 9'951, random.below(20'000), ~std::uint64_t{0}};
            const std::uint64_t value = values[random.below(std::size(values))];
            const std::size_t size = std::size_t{1} << random.below(4);
            std::memcpy(bytes.data() + 32 + random.below(bytes.size() - 32 - size), &value, size);
        };
        for (int i = 0; i < 1000; ++i) {
            std::string forged = packet;
            forge(forged);
            if (random.below(2) == 0) forge(forged);
            read(reseal_packet(forged));
        }
        CHECK(accepted > 50);  // a report can be made of each
        const auto refused = [&](auto change) {
            BlastpPartial partial = whole;
            change(partial);
            return !engine->from_bytes(engine->to_bytes(partial), batch, "it").ok();
        };
        const auto hsp_refused = [&](auto change) {
            return refused([&](BlastpPartial& partial) { change(partial.hits[0][0].hsps[0]); });
        };
        REQUIRE(batch.parts.size() == 4);
        REQUIRE(whole.hits[0].size() == 3);
        REQUIRE(whole.hits[2].size() > 1);
        CHECK_FALSE(refused([](BlastpPartial&) {}));
        CHECK(refused([](BlastpPartial& partial) { partial.hits.pop_back(); }));
        CHECK(refused([](BlastpPartial& partial) { partial.hits.emplace_back(); }));
        CHECK(refused([](BlastpPartial& partial) { partial.hits[0][0].database = 2; }));
        CHECK(refused([](BlastpPartial& partial) { partial.hits[0][0].rank = 1'000'000; }));
        CHECK(refused([](BlastpPartial& partial) { ++partial.hits[0][0].position; }));
        CHECK(refused([](BlastpPartial& partial) { std::swap(partial.hits[0][0], partial.hits[0][1]); }));
        CHECK(refused([](BlastpPartial& partial) { partial.hits[0].push_back(partial.hits[0].back()); }));
        CHECK(refused([](BlastpPartial& partial) { partial.hits[0][0].hsps.clear(); }));
        CHECK(refused([](BlastpPartial& partial) { std::swap(partial.hits[0], partial.hits[3]); }));  // has only X
        CHECK(refused([](BlastpPartial& partial) { std::swap(partial.hits[1], partial.hits[2]); }));
        CHECK(hsp_refused([](Hsp& hsp) { hsp.query_begin = hsp.query_end + 1; }));
        CHECK(hsp_refused([](Hsp& hsp) { hsp.query_end = 10'000; }));
        CHECK(hsp_refused([](Hsp& hsp) { hsp.target_begin = hsp.target_end + 1; }));
        CHECK(hsp_refused([](Hsp& hsp) { hsp.target_end = 10'000; }));
        CHECK(hsp_refused([](Hsp& hsp) { hsp.query_seed = 10'000; }));
        CHECK(hsp_refused([](Hsp& hsp) { hsp.target_seed = 10'000; }));
        CHECK(hsp_refused([](Hsp& hsp) { hsp.score_raw = 100'000'000; }));
        CHECK(hsp_refused([](Hsp& hsp) { hsp.score_raw = -5; }));
        CHECK(hsp_refused([](Hsp& hsp) { hsp.evalue = std::numeric_limits<double>::quiet_NaN(); }));
        CHECK(hsp_refused([](Hsp& hsp) { hsp.evalue = 100; }));
        CHECK(refused([](BlastpPartial& partial) {
            auto& hsps = partial.hits[0][0].hsps;
            hsps.push_back(hsps.front());
            ++hsps.back().score_raw;
        }));
        // There are more hits than are ever kept, that is, all of them with a limit of ten.
        if (mode == CompositionMode::kNone) {
            settings.limits.max_targets = 1;
            CHECK(refused([&](BlastpPartial& partial) {
                BlastpSettings all = settings;
                all.limits.max_targets = 500;
                const auto more = fixture.engine(all);
                partial = fixture.whole(*more, batch);
                REQUIRE(std::ranges::max(partial.hits, {}, &std::vector<BlastpHit>::size).size() > 10);
            }));
            settings.limits.max_targets = 3;
        }
    }
}

TEST_CASE("a seed that has to be looked for again lies within the target, whatever the box") {
    const Fixture fixture(4, 60);
    BlastpSettings settings = blosum62();
    settings.composition = CompositionMode::kNone;
    const auto engine = fixture.engine(settings);
    const auto batch = fixture.batch_of(*engine, {fixture.queries[0]});
    BlastpPartial partial = fixture.whole(*engine, batch);
    BlastpHit& hit = partial.hits[0].front();
    const std::uint64_t residues = fixture.session->databases().reader(hit.database).lengths_residues()[hit.rank];
    Hsp& hsp = hit.hsps.front();
    hit.hsps.resize(1);
    partial.hits[0].resize(1);
    hsp.query_begin = hsp.query_seed = hsp.target_seed = 0;
    hsp.query_end = 10;
    hsp.target_begin = residues - 2;
    hsp.target_end = residues;
    hsp.score_raw = batch.parts[0]->cutoff_raw;
    const auto back = engine->from_bytes(engine->to_bytes(partial), batch, "it");
    REQUIRE(back.ok());
    fixture.report(*engine, batch, *back);
}

TEST_CASE("a search that is stopped ends soon and says so, in each of its steps") {
    const Fixture fixture;
    const auto engine = fixture.engine(blosum62());
    const auto share = whole_share(fixture.session->databases());
    const auto stop_after_50_ms = [&](const auto& work) {
        Observer observer;
        std::stop_source stop;
        std::chrono::steady_clock::time_point stopped;
        std::thread stopper([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            stopped = std::chrono::steady_clock::now();
            stop.request_stop();
        });
        const Status status = work({observer, stop.get_token()});
        const auto ended = std::chrono::steady_clock::now();
        stopper.join();
        CHECK(status.code() == StatusCode::kInterrupted);
        // Sanitizers, and other work on the machine, make everything slower.
        CHECK(ended - stopped < std::chrono::seconds(2));
        MESSAGE("ended " << std::chrono::duration<double>(ended - stopped).count() << " s after the stop");
    };
    Random random(84);
    std::vector<Sequence> many;
    for (int i = 0; i < 300; ++i) many.push_back(random_protein(random, 2000));
    std::vector<QueryWithParts> read;
    for (int i = 0; i < 50; ++i) {
        for (const Sequence& sequence : many) read.push_back({{"q", sequence}, {}, 0});
    }
    stop_after_50_ms([&](const SearchControl& control) { return engine->prepare(std::move(read), control).status(); });

    const BlastpBatch batch = fixture.batch_of(*engine, many);
    stop_after_50_ms([&](const SearchControl& control) { return engine->scan(batch, share, control).status(); });

    // The hits of one query, repeated.
    const BlastpBatch one = fixture.batch_of(*engine, {fixture.queries[0]});
    const BlastpBatch copies = fixture.batch_of(*engine, std::vector(2000, fixture.queries[0]));
    const BlastpPartial hits_of_one = fixture.whole(*engine, one);
    BlastpPartial hits_of_copies;
    hits_of_copies.hits.assign(2000, hits_of_one.hits[0]);
    stop_after_50_ms([&](const SearchControl& control) {
        return engine->finish(copies, std::move(hits_of_copies), control).status();
    });
    // The session and the engine go on.
    CHECK(fixture.report(*engine, one, hits_of_one).size() > 1000);
}

TEST_CASE("a scan of giants hears a stop within a pair" * doctest::test_suite(testing::kLaterUnderSanitizers)) {
    const std::size_t residues = fewer(12'000, 5'000);
    Random random(85);
    const Sequence query = random_protein(random, residues);
    std::vector<TestSequence> giants;
    for (int i = 0; i < 32; ++i) giants.push_back({"g", random_protein(random, residues)});
    const ScratchFolder folder;
    make_database(folder.path("giants.wsdb"), giants);
    SessionSettings machine{.database_files = {folder.path("giants.wsdb")}};
    machine.device.kind = DeviceRequest::Kind::kCpu;
    machine.backend = CpuBackend::kPortable;  // which takes seconds
    const auto session = Session::open(machine);
    REQUIRE(session.ok());
    BlastpSettings settings = blosum62();
    settings.evalue = 1e-20;  // so that nothing is extended
    const auto engine = BlastpEngine::create(**session, settings);
    REQUIRE(engine.ok());
    const std::vector<std::uint64_t> lengths = {residues};
    const auto share = whole_share((*session)->databases());
    Observer observer;
    const auto batch = (*engine)->prepare({{{"q", query}, parts_of_group(lengths)[0], 0}}, {observer});
    REQUIRE(batch.ok());
    const auto start = std::chrono::steady_clock::now();
    REQUIRE((*engine)->scan(*batch, share, {observer}).ok());
    const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - start;
    // All giants are scored at once, which takes most of the time.
    for (const double fraction : {0.2, 0.4, 0.6}) {
        CAPTURE(fraction);
        bool soon = false;
        // Other work on the machine takes time, too.
        for (int tries = 0; tries < 5 && !soon; ++tries) {
            std::stop_source stop;
            std::chrono::steady_clock::time_point stopped;
            std::thread stopper([&] {
                std::this_thread::sleep_for(whole * fraction);
                stopped = std::chrono::steady_clock::now();
                stop.request_stop();
            });
            const auto partial = (*engine)->scan(*batch, share, {observer, stop.get_token()});
            const auto ended = std::chrono::steady_clock::now();
            stopper.join();
            const std::chrono::duration<double> took = ended - stopped;
            // The scan may have been quicker than before.
            if (!partial.ok()) CHECK(partial.status().code() == StatusCode::kInterrupted);
            soon = !partial.ok() && took.count() < std::max(0.05, whole.count() / 25);
        }
        CHECK(soon);
    }
}

TEST_CASE("scans and finishes of two engines of a session at once, from several threads") {
    const Fixture fixture;
    BlastpSettings other = blosum62();
    other.composition = CompositionMode::kNone;
    other.limits.max_targets = 3;
    std::vector<std::unique_ptr<BlastpEngine>> engines;
    engines.push_back(fixture.engine(blosum62()));
    engines.push_back(fixture.engine(other));
    std::vector<BlastpBatch> batches;
    std::vector<std::string> expected, found(6);
    for (const auto& engine : engines) {
        batches.push_back(fixture.batch_of(*engine, fixture.queries));
        expected.push_back(fixture.report(*engine, batches.back(), fixture.whole(*engine, batches.back())));
    }
    CHECK(expected[0] != expected[1]);
    std::vector<std::thread> clients;
    for (std::size_t client = 0; client < found.size(); ++client) {
        clients.emplace_back([&, client] {
            BlastpEngine& engine = *engines[client % 2];
            const BlastpBatch& batch = batches[client % 2];
            found[client] = fixture.report(engine, batch, fixture.whole(engine, batch));
        });
    }
    for (std::thread& client : clients) client.join();
    for (std::size_t client = 0; client < found.size(); ++client) {
        const bool same = found[client] == expected[client % 2];
        CHECK(same);
    }
}

TEST_CASE("notes tell of rare letters and of queries that cannot be searched with") {
    const Fixture fixture(1, 10);
    const auto engine = fixture.engine(blosum62());
    Notes notes;
    std::vector<QueryWithParts> read;
    for (const char* letters : {"MKOOTAYIAKQRQISF", "XXXX", "", "MKTAYIAKOQRQISF"}) {
        const std::uint64_t number = read.size();
        read.push_back({{"q" + std::to_string(number) + " title", encode_residues(letters)}, {}, number / 2});
    }
    const auto batch = engine->prepare(std::move(read), {notes});
    REQUIRE(batch.ok());
    const std::vector<std::string> expected = {
        "warning: query q0: 2 of its residues are O, pyrrolysine, and are scored as X",
        "warning: query q3: 1 of its residues are O, pyrrolysine, and are scored as X",
        "warning: query q1 cannot be searched: its letters, apart from X and masked ones, give no score statistics"};
    CHECK(notes.texts == expected);
    CHECK_FALSE(batch->queries[1].is_in_invalid_group);
}

TEST_CASE("without queries or without a share nothing is found") {
    const Fixture fixture(1, 10);
    const auto engine = fixture.engine(blosum62());
    const BlastpBatch none = fixture.batch_of(*engine, {}), one = fixture.batch_of(*engine, {fixture.queries[0]});
    CHECK(fixture.whole(*engine, none).hits.empty());
    Observer observer;
    const auto nothing = engine->scan(one, {}, {observer});
    REQUIRE(nothing.ok());
    REQUIRE(nothing->hits.size() == 1);
    CHECK(nothing->hits[0].empty());
}

TEST_CASE("settings without statistics, frequencies or words are refused when the engine is made") {
    const Fixture fixture(1, 10);
    const auto refused = [&](auto change) {
        BlastpSettings settings = blosum62();
        change(settings);
        return !BlastpEngine::create(*fixture.session, settings).ok();
    };
    CHECK_FALSE(refused([](BlastpSettings&) {}));
    CHECK(refused([](BlastpSettings& settings) { settings.scheme.gaps = {3, 3}; }));
    CHECK(refused([](BlastpSettings& settings) { settings.word_residues = 1; }));
    CHECK(refused([](BlastpSettings& settings) { settings.word_residues = 8; }));
    const auto identity = [](BlastpSettings& settings) {
        settings.scheme = {*builtin_matrix("IDENTITY"), *AlignmentStatistics::default_gap_costs("IDENTITY")};
    };
    CHECK(refused(identity));
    const auto without_composition = [&](BlastpSettings& settings) {
        identity(settings);
        settings.composition = CompositionMode::kNone;
    };
    CHECK_FALSE(refused(without_composition));
    CHECK(refused([&](BlastpSettings& settings) {
        without_composition(settings);
        settings.word_residues = 6;
    }));
}

}  // namespace warpseq::testing
