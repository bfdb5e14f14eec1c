// search hmm in parts: any cut of the databases, merged in any order through bytes, reports what
// the whole reports.
#include "engines/hmm/hmm_engine.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "engines/hmm/calibration.h"
#include "libcore/profile/sequence_profile.h"
#include "libcore/scoring/profile_matrices.h"
#include "reports/hmmer/hmm_outputs.h"
#include "tests/support/make_database.h"
#include "tests/support/random_profile.h"
#include "tests/support/scan_in_parts.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/under_sanitizers.h"

namespace warpseq::testing {
namespace {

/// Members of the profiles' families among random sequences, in two databases.
struct Fixture {
    ScratchFolder folder;
    std::vector<ProfileHmm> profiles, of_sequences;
    std::unique_ptr<Session> session;

    explicit Fixture(unsigned threads = 2, CpuBackend backend = SessionSettings().backend) {
        Random random(81);
        for (const int length : {12, 40, 90}) {
            ProfileHmm hmm = random_profile(random, length);
            hmm.name = "p" + std::to_string(length);
            profiles.push_back(calibrated(std::move(hmm)));
        }
        const auto replacements = replacement_probabilities(*profile_matrix("BLOSUM62"));
        std::vector<TestSequence> a, b;
        for (int i = 0; i < 700; ++i) {
            TestSequence sequence{"s" + std::to_string(i) + " number " + std::to_string(i),
                                  random_protein(random, random.below(150))};
            for (std::uint64_t copies = i % 5 == 0 ? 1 + random.below(3) : 0; copies > 0; --copies) {
                const ProfileHmm& hmm = profiles[random.below(profiles.size())];
                const Sequence domain = emitted(random, hmm, 1, static_cast<std::size_t>(hmm.length));
                sequence.residues.insert(sequence.residues.end(), domain.begin(), domain.end());
            }
            if (i == 250 || i == 500)
                of_sequences.push_back(
                    calibrated(profile_of_sequence(sequence.residues, sequence.header, "", *replacements)));
            (i % 3 == 0 ? b : a).push_back(std::move(sequence));
        }
        make_database(folder.path("a.wsdb"), a, {.codec = ResidueCodec::kPacked});
        make_database(folder.path("b.wsdb"), b, {.codec = ResidueCodec::kZstd});
        SessionSettings settings{.database_files = {folder.path("a.wsdb"), folder.path("b.wsdb")}};
        settings.device.kind = DeviceRequest::Kind::kCpu;
        settings.threads = threads;
        settings.backend = backend;
        settings.chunk_bytes = 5000;
        session = *Session::open(settings);
    }

    static ProfileHmm calibrated(ProfileHmm hmm) {
        hmm.statistics = *calibrate(hmm, CpuBackend::kPortable);
        return hmm;
    }
};

std::vector<HmmReport> finished(HmmEngine& engine, const HmmBatch& batch, HmmPartial partial) {
    Observer observer;
    auto reports = engine.finish(batch, std::move(partial), {observer});
    REQUIRE_MESSAGE(reports.ok(), reports.status().message());
    return *std::move(reports);
}

/// Prints all outputs of results, in all formats.
class Printer {
   public:
    Printer() {
        for (const std::string outfmt : {"0", "7 std qseq sseq qcovs", "json"}) {
            outputs_.push_back(HmmOutputs::elsewhere(run_, {"r", "a", "t", "d", "p"}, *make_hmm_report_format(outfmt)));
        }
        for (HmmOutputs& outputs : outputs_) outputs.begin(HmmQueryKind::kProfile, DatabaseSet());
    }

    std::string operator()(const HmmBatch& batch, const std::vector<HmmReport>& reports) const {
        std::string text;
        for (std::size_t p = 0; p < batch.size(); ++p) {
            for (const HmmOutputs& outputs : outputs_) {
                const auto of_profile =
                    outputs.format(batch.profiles[p], batch.pipelines[p]->forward_profile(), reports[p], p == 0);
                for (const std::string& each :
                     {of_profile.report, of_profile.alignment, of_profile.targets, of_profile.domains, of_profile.pfam})
                    text += each;
            }
        }
        return text;
    }

    /// Returns the text of the results of a partial.
    std::string operator()(HmmEngine& engine, const HmmBatch& batch, HmmPartial partial) const {
        return (*this)(batch, finished(engine, batch, std::move(partial)));
    }

   private:
    HmmRun run_;
    std::vector<HmmOutputs> outputs_;
};

HmmThresholds up_to(double evalue) {
    HmmThresholds thresholds;
    thresholds.evalue = thresholds.domain_evalue = evalue;
    return thresholds;
}

std::vector<HmmThresholds> for_each_of(const std::vector<ProfileHmm>& profiles, const HmmThresholds& thresholds) {
    return std::vector<HmmThresholds>(profiles.size(), thresholds);
}

}  // namespace

TEST_CASE("1, 2, 3, 7 and 64 parts, shuffled and through bytes, make the whole's reports") {
    const Fixture fixture;
    const Printer print;
    Random random(82);
    struct Case {
        std::string name;
        HmmSettings settings = {};
        HmmThresholds thresholds = {};
        bool sequences = false;
    };
    std::vector<Case> cases;
    const auto add = [&](const char* name) -> Case& {
        cases.emplace_back().name = name;
        return cases.back();
    };
    add("defaults");
    add("many weak hits").thresholds = up_to(1e4);
    cases.back().settings.pipeline.f1 = 0.3;
    cases.back().settings.pipeline.f2 = cases.back().settings.pipeline.f3 = 0.1;
    add("sequences").sequences = true;
    add("--max").settings.pipeline.max = true;
    add("--nobias, --nonull2").settings.pipeline.bias_filter = false;
    cases.back().settings.pipeline.null2 = false;
    add("-Z, --domZ").settings.targets_z = 1e6;
    cases.back().settings.domains_z = 5;
    HmmThresholds& by_score = add("by score").thresholds;
    by_score.by_evalue = by_score.domain_by_evalue = by_score.include_by_evalue = false;
    by_score.bits = 5;
    by_score.domain_bits = 4;
    by_score.include_bits = 12;

    Observer observer;
    for (const Case& each : cases) {
        CAPTURE(each.name);
        const auto engine = HmmEngine::create(*fixture.session, each.settings);
        REQUIRE(engine.ok());
        const std::vector<ProfileHmm>& queries = each.sequences ? fixture.of_sequences : fixture.profiles;
        const auto batch = (*engine)->prepare(queries, for_each_of(queries, each.thresholds));
        REQUIRE(batch.ok());
        auto whole = (*engine)->scan(*batch, whole_share(fixture.session->databases()), {observer});
        REQUIRE(whole.ok());
        const std::string bytes = (*engine)->to_bytes(*whole);
        const std::string expected = print(**engine, *batch, *std::move(whole));
        CHECK(std::ranges::count(expected, '\n') > 500);
        for (const std::uint64_t parts : fewer<std::vector<std::uint64_t>>({1, 2, 3, 7, 64}, {3, 64})) {
            CAPTURE(parts);
            HmmPartial merged = scan_in_parts(**engine, *fixture.session, *batch, parts, random);
            const bool same_partial = (*engine)->to_bytes(merged) == bytes;
            CHECK(same_partial);
            const bool same_reports = print(**engine, *batch, std::move(merged)) == expected;
            CHECK(same_reports);
        }
    }
}

TEST_CASE("threads and chunks change no byte of a partial; several scans run at once") {
    std::string expected;
    for (const unsigned threads : {1U, 3U}) {
        const Fixture fixture(threads);
        const auto engine = HmmEngine::create(*fixture.session, {});
        const auto batch = (*engine)->prepare(fixture.profiles, for_each_of(fixture.profiles, up_to(100)));
        const auto share = whole_share(fixture.session->databases());
        Observer observer;
        std::vector<std::string> found(3);
        std::vector<std::thread> clients;
        for (std::string& bytes : found) {
            clients.emplace_back([&] {
                const auto partial = (*engine)->scan(*batch, share, {observer});
                if (partial.ok()) bytes = (*engine)->to_bytes(*partial);
            });
        }
        for (std::thread& client : clients) client.join();
        if (expected.empty()) expected = found.front();
        CHECK(expected.size() > 10'000);
        for (const std::string& bytes : found) {
            const bool same = bytes == expected;
            CHECK(same);
        }
    }
}

TEST_CASE("partials that are cut, changed, or of another search are refused") {
    const Fixture fixture;
    const Printer print;
    const auto engine = HmmEngine::create(*fixture.session, {});
    REQUIRE(engine.ok());
    const std::vector<ProfileHmm> two(fixture.profiles.begin() + 1, fixture.profiles.end());
    const auto batch = (*engine)->prepare(two, for_each_of(two, {}));
    REQUIRE(batch.ok());
    Observer observer;
    const auto whole = (*engine)->scan(*batch, whole_share(fixture.session->databases()), {observer});
    REQUIRE(whole.ok());
    const auto read = [&](const std::string& bytes) {
        auto partial = (*engine)->from_bytes(bytes, *batch, "it");
        if (!partial.ok()) return false;
        print(**engine, *batch, *std::move(partial));
        return true;
    };
    CHECK(read((*engine)->to_bytes(*whole)));

    // A few hits suffice, because the partial makes reports of everything that it lets through.
    HmmPartial small = *whole;
    const auto with_gaps = [](const HmmHit& hit) {
        return std::ranges::any_of(hit.domains.front().trace,
                                   [](const TraceStep& step) { return step.state != TraceState::kMatch; });
    };
    for (std::vector<HmmHit>& hits : small.hits) {
        const auto first = std::ranges::find_if(hits, with_gaps);
        REQUIRE(first != hits.end());
        hits = {*first};
    }
    CHECK(survives_forgery((*engine)->to_bytes(small), read));
    // The same share is merged twice. A pair that is found twice was searched twice.
    HmmPartial once = small;
    const Status twice = (*engine)->merge(once, HmmPartial(small));
    CHECK(twice.code() == StatusCode::kInvalidInput);
    CHECK(twice.message().find("was found in two parts of the search") != std::string::npos);

    const auto refused = [&](const std::function<void(HmmHit&, HmmDomain&)>& change) {
        HmmPartial partial = small;
        change(partial.hits[0][0], partial.hits[0][0].domains[0]);
        return !read((*engine)->to_bytes(partial));
    };
    CHECK_FALSE(refused([](HmmHit&, HmmDomain&) {}));
    CHECK(refused([](HmmHit& hit, HmmDomain&) { hit.database = 2; }));
    CHECK(refused([](HmmHit& hit, HmmDomain&) { hit.rank = 1'000'000; }));
    CHECK(refused([](HmmHit& hit, HmmDomain&) { ++hit.input_position; }));
    CHECK(refused([](HmmHit& hit, HmmDomain&) { hit.domains.clear(); }));
    CHECK(refused([](HmmHit& hit, HmmDomain&) { hit.regions = -1; }));
    CHECK(refused([](HmmHit& hit, HmmDomain&) { hit.log_pvalue = std::numeric_limits<double>::quiet_NaN(); }));
    CHECK(refused([](HmmHit&, HmmDomain& domain) { domain.score_bits = std::numeric_limits<float>::infinity(); }));
    CHECK(refused([](HmmHit&, HmmDomain& domain) { domain.envelope_from = 0; }));
    CHECK(refused([](HmmHit& hit, HmmDomain& domain) {
        domain.envelope_to = static_cast<std::int64_t>(hit.target_residues) + 1;
    }));
    CHECK(refused([](HmmHit&, HmmDomain& domain) { domain.alignment_from = domain.envelope_from - 1; }));
    CHECK(refused([](HmmHit&, HmmDomain& domain) { domain.envelope_to = domain.alignment_to - 1; }));
    CHECK(refused([](HmmHit&, HmmDomain& domain) { domain.node_from = 0; }));
    CHECK(refused([&](HmmHit&, HmmDomain& domain) { domain.node_from += two[0].length - domain.node_to + 1; }));
    CHECK(refused([](HmmHit&, HmmDomain& domain) { domain.trace.clear(); }));
    CHECK(refused([](HmmHit&, HmmDomain& domain) { domain.trace.front().state = TraceState::kInsert; }));
    CHECK(refused([](HmmHit&, HmmDomain& domain) { domain.trace.back().state = TraceState::kDelete; }));
    CHECK(refused([](HmmHit&, HmmDomain& domain) { domain.trace[1].state = TraceState(3); }));
    CHECK(refused([](HmmHit&, HmmDomain& domain) { domain.trace[1].posterior = -1; }));
    CHECK(refused([](HmmHit&, HmmDomain& domain) { domain.aligned_residues.pop_back(); }));
    CHECK(refused([](HmmHit&, HmmDomain& domain) { domain.aligned_residues[0] = kResidueCodes; }));

    const auto partial_refused = [&](const std::function<void(HmmPartial&)>& change) {
        HmmPartial partial = small;
        change(partial);
        return !read((*engine)->to_bytes(partial));
    };
    CHECK(partial_refused([](HmmPartial& partial) { partial.hits.pop_back(); }));
    CHECK(partial_refused([](HmmPartial& partial) { partial.counts.emplace_back(); }));
    CHECK(partial_refused([](HmmPartial& partial) { partial.hits[0].push_back(partial.hits[0][0]); }));
    CHECK(partial_refused([](HmmPartial& partial) { partial.counts[1].passed_bias = 701; }));
}

TEST_CASE(
    "the best targets are those of a search for all, whether or not all are scored, and so are their included "
    "domains") {
    Fixture fixture;
    Observer observer;
    std::size_t scored = 0, all = 0;
    for (const std::optional<double> domains_z : {std::optional<double>(), std::optional<double>(20)}) {
        for (const double include_domain_evalue : {1e-3, 1e-9, 1e-14}) {
            HmmThresholds thresholds;
            thresholds.include_domain_evalue = include_domain_evalue;
            HmmSettings settings;
            settings.domains_z = domains_z;
            const auto engine = HmmEngine::create(*fixture.session, settings);
            REQUIRE(engine.ok());
            auto batch = (*engine)->prepare(fixture.profiles, for_each_of(fixture.profiles, thresholds));
            REQUIRE(batch.ok());
            const auto search = [&] {
                auto partial = (*engine)->scan(*batch, whole_share(fixture.session->databases()), {observer});
                REQUIRE(partial.ok());
                return finished(**engine, *batch, *std::move(partial));
            };
            const std::vector<HmmReport> expected = search();
            for (const std::size_t most : {0U, 1U, 2U, 10U, 40U, 1000U}) {
                CAPTURE(most);
                batch->most_targets = most;
                const std::vector<HmmReport> got = search();
                batch->most_targets.reset();
                for (std::size_t p = 0; p < batch->size(); ++p) {
                    scored += got[p].hits.size();
                    all += expected[p].hits.size();
                    CHECK(got[p].counts.passed_forward == expected[p].counts.passed_forward);
                    REQUIRE(std::min(most, got[p].hits.size()) == std::min(most, expected[p].hits.size()));
                    for (std::size_t h = 0; h < std::min(most, got[p].hits.size()); ++h) {
                        const HmmHit &a = got[p].hits[h], &b = expected[p].hits[h];
                        CHECK(a.place() == b.place());
                        CHECK(a.score_bits == b.score_bits);
                        CHECK(a.included == b.included);
                        CHECK(a.included_domains == b.included_domains);
                        REQUIRE(a.domains.size() == b.domains.size());
                        for (std::size_t d = 0; d < a.domains.size(); ++d) {
                            CHECK(a.domains[d].included == b.domains[d].included);
                            CHECK(a.domains[d].trace == b.domains[d].trace);
                        }
                    }
                }
            }
        }
    }
    MESSAGE(scored << " of " << all << " scored");
    CHECK(scored < all);
}

TEST_CASE("a search that is stopped ends soon and says so") {
    const Fixture fixture(2, CpuBackend::kPortable);  // which takes seconds
    Random random(83);
    ProfileHmm large = random_profile(random, 1500);
    large.statistics = HmmStatistics{-8, 0.7F, -9, 0.7F, -4, 0.7F};
    const auto share = whole_share(fixture.session->databases());
    Observer observer;
    for (const bool max : {false, true}) {
        CAPTURE(max);
        HmmSettings settings;
        settings.pipeline.max = max;
        const auto engine = HmmEngine::create(*fixture.session, settings);
        const std::vector<ProfileHmm> many(max ? 20 : 60, large);
        const auto batch = (*engine)->prepare(many, for_each_of(many, {}));
        REQUIRE(batch.ok());
        std::stop_source stop;
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
        const auto few = (*engine)->prepare(fixture.profiles, for_each_of(fixture.profiles, {}));
        auto found = (*engine)->scan(*few, share, {observer});
        REQUIRE(found.ok());
        CHECK((*engine)->finish(*few, *found, {observer, stop.get_token()}).status().code() ==
              StatusCode::kInterrupted);
        CHECK((*engine)->finish(*few, *std::move(found), {observer}).ok());
    }
}

TEST_CASE("a search of giants is stopped within its kernels") {
    // The search has one query, and targets of the same length that share domains with it.
    Random random(84);
    const auto residues = fewer<std::size_t>(20'000, 2500), shared_residues = residues / 16;
    const Sequence query = random_protein(random, residues);
    std::vector<TestSequence> targets;
    for (std::size_t t = 0; t < 2; ++t) {
        Sequence target = random_protein(random, residues);
        for (std::size_t copy = 0; copy < 2; ++copy) {
            const Sequence domain = mutated(random, std::span(query).subspan(t * 1000, shared_residues), 0.7);
            std::ranges::copy(domain, target.begin() + static_cast<std::ptrdiff_t>(copy * residues / 2));
        }
        targets.push_back({"t" + std::to_string(t), std::move(target)});
    }
    const ScratchFolder folder;
    make_database(folder.path("giants.wsdb"), targets);
    SessionSettings session_settings{.database_files = {folder.path("giants.wsdb")}};
    session_settings.device.kind = DeviceRequest::Kind::kCpu;
    session_settings.threads = 2;
    const auto session = *Session::open(session_settings);
    ProfileHmm hmm = profile_of_sequence(query, "giant", "", *replacement_probabilities(*profile_matrix("BLOSUM62")));
    hmm.statistics = HmmStatistics{-8, 0.7F, -9, 0.7F, -4, 0.7F};
    const auto engine = HmmEngine::create(*session, {});
    const auto batch = (*engine)->prepare({hmm}, {HmmThresholds()});
    REQUIRE(batch.ok());

    using Clock = std::chrono::steady_clock;
    const auto share = whole_share(session->databases());
    Observer observer;
    const auto begin = Clock::now();
    const auto found = (*engine)->scan(*batch, share, {observer});
    const std::chrono::duration<double> whole = Clock::now() - begin;
    REQUIRE(found.ok());
    REQUIRE(found->hits[0].size() == 2);
    for (const HmmHit& hit : found->hits[0]) CHECK(hit.domains.size() >= 2);
    for (const double fraction : {0.05, 0.25, 0.5}) {
        CAPTURE(fraction);
        bool soon = false;
        // Other work on the machine takes time, too.
        for (int tries = 0; tries < 5 && !soon; ++tries) {
            std::stop_source stop;
            Clock::time_point stopped;
            std::thread stopper([&] {
                std::this_thread::sleep_for(whole * fraction);
                stopped = Clock::now();
                stop.request_stop();
            });
            const auto partial = (*engine)->scan(*batch, share, {observer, stop.get_token()});
            const auto ended = Clock::now();
            stopper.join();
            const std::chrono::duration<double> took = ended - stopped;
            // On a machine that has become faster the search may be over.
            if (!partial.ok()) CHECK(partial.status().code() == StatusCode::kInterrupted);
            soon = !partial.ok() && took < std::max(whole / 10, std::chrono::duration<double>(0.01));
        }
        CHECK(soon);
    }
}

TEST_CASE("a batch needs statistics and thresholds for each profile; no profiles, or no share, find nothing") {
    const Fixture fixture;
    const auto engine = HmmEngine::create(*fixture.session, {});
    REQUIRE(engine.ok());
    Observer observer;
    const auto share = whole_share(fixture.session->databases());
    CHECK_FALSE((*engine)->prepare(fixture.profiles, {}).ok());
    std::vector<ProfileHmm> bare = fixture.profiles;
    bare.back().statistics.reset();
    CHECK_FALSE((*engine)->prepare(bare, for_each_of(bare, {})).ok());
    const auto none = (*engine)->prepare({}, {});
    REQUIRE(none.ok());
    CHECK((*engine)->scan(*none, share, {observer}).ok());
    const auto batch = (*engine)->prepare(fixture.profiles, for_each_of(fixture.profiles, {}));
    const auto nothing = (*engine)->scan(*batch, {}, {observer});
    REQUIRE(nothing.ok());
    CHECK(nothing->hits.size() == fixture.profiles.size());
    for (const std::vector<HmmHit>& hits : nothing->hits) CHECK(hits.empty());
}

}  // namespace warpseq::testing

TEST_CASE(
    "few sequences are scanned for models by many threads, by a GPU where there are few threads or many sequences") {
    constexpr std::uint64_t kPfamNodes = 3'000'000;
    CHECK_FALSE(warpseq::HmmEngine::models_are_worth_a_gpu(kPfamNodes, 200'000, 16));
    CHECK(warpseq::HmmEngine::models_are_worth_a_gpu(kPfamNodes, 440'000, 16));
    CHECK(warpseq::HmmEngine::models_are_worth_a_gpu(kPfamNodes, 440'000, 2));
    CHECK(warpseq::HmmEngine::models_are_worth_a_gpu(kPfamNodes, 4'000'000, 16));
    CHECK_FALSE(warpseq::HmmEngine::models_are_worth_a_gpu(kPfamNodes, 400, 1));
    CHECK_FALSE(warpseq::HmmEngine::models_are_worth_a_gpu(0, 440'000, 1));
}
