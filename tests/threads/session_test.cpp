// Several searches at once in one session, as in a server. Each gets what it would get alone. A
// search that is stopped does not stop the others.
#include "engines/session.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>
#include <thread>
#include <vector>

#include "engines/blastp/blastp_engine.h"
#include "engines/hmm/hmm_engine.h"
#include "engines/pair/pair_search.h"
#include "engines/sw/sw_engine.h"
#include "formats/wsdb/wsdb_validate.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/small_session.h"

namespace warpseq::testing {
namespace {

const ScoringScheme kScheme{*builtin_matrix("BLOSUM62"), {11, 1}};

struct Searches {
    explicit Searches(unsigned threads) : the(threads) {
        sw_engine = *SwEngine::create(*the.session, {.scheme = kScheme});
        hmm_engine = *HmmEngine::create(*the.session, {});
        blastp_engine = *BlastpEngine::create(*the.session, {.scheme = kScheme});
    }

    std::string sw(const SearchControl& control) {
        const auto batch = sw_engine->prepare(the.queries);
        const auto partial = sw_engine->scan(*batch, whole_share(the.session->databases()), control);
        if (!partial.ok()) return partial.status().message();
        const auto results = sw_engine->finish(*batch, *partial, 0, the.queries.size(), {}, control);
        if (!results.ok()) return results.status().message();
        std::string text;
        for (const auto& of_query : *results) {
            for (const ReportedHit& hit : of_query)
                text += hit.target_header + " " + std::to_string(hit.hit.score_raw) + "\n";
        }
        return text;
    }

    std::string hmm(const SearchControl& control) {
        const auto batch = hmm_engine->prepare(the.profiles, {HmmThresholds()});
        if (!batch.ok()) return batch.status().message();
        auto partial = hmm_engine->scan(*batch, whole_share(the.session->databases()), control);
        if (!partial.ok()) return partial.status().message();
        const auto reports = hmm_engine->finish(*batch, *std::move(partial), control);
        if (!reports.ok()) return reports.status().message();
        std::string text;
        for (const HmmHit& hit : reports->front().hits)
            text += hit.target_name + " " + std::to_string(hit.score_bits) + "\n";
        return text;
    }

    std::string blastp(const SearchControl& control) {
        const auto batch = blastp_engine->prepare(the.blastp_queries(), control);
        if (!batch.ok()) return batch.status().message();
        auto partial = blastp_engine->scan(*batch, whole_share(the.session->databases()), control);
        if (!partial.ok()) return partial.status().message();
        const auto results = blastp_engine->finish(*batch, *std::move(partial), control);
        if (!results.ok()) return results.status().message();
        std::string text;
        for (const auto& of_query : *results) {
            for (std::size_t h = 0; h < of_query.hits.size(); ++h)
                text += of_query.headers[h] + " " + std::to_string(of_query.hits[h].hsps.front().score_raw) + "\n";
        }
        return text;
    }

    std::string pair(const SearchControl& control) {
        PairInput input;
        input.queries.push_back({"a", the.queries[0].residues});
        input.targets.push_back({"b", the.queries[1].residues});
        std::string text;
        const Status status = PairSearch(*the.session, input, kScheme, {}, control).run([&](const PairResult& result) {
            text = std::to_string(result.alignment.score_raw);
            return Status();
        });
        return status.ok() ? text : status.message();
    }

    std::string validate(const SearchControl& control) {
        const auto found = validate_wsdb(the.folder.path("b.wsdb"), the.session->pool().with_stop(control.stop), {});
        return found.ok() ? std::to_string(found->faults.size()) + " faults" : found.status().message();
    }

    SmallSession the;
    std::unique_ptr<SwEngine> sw_engine;
    std::unique_ptr<HmmEngine> hmm_engine;
    std::unique_ptr<BlastpEngine> blastp_engine;
};

using Search = std::string (Searches::*)(const SearchControl&);
constexpr std::array<Search, 5> kSearches{&Searches::sw, &Searches::hmm, &Searches::blastp, &Searches::pair,
                                          &Searches::validate};

}  // namespace

TEST_CASE("searches of all engines at once, each several times, and some that are stopped") {
    Observer observer;
    std::vector<std::string> expected;
    {
        Searches alone(1);
        for (const Search search : kSearches) expected.push_back((alone.*search)({observer}));
    }
    CHECK(std::count(expected[0].begin(), expected[0].end(), '\n') > 20);
    CHECK(std::count(expected[1].begin(), expected[1].end(), '\n') >= 10);
    CHECK(std::count(expected[2].begin(), expected[2].end(), '\n') > 20);
    CHECK(expected[4] == "0 faults");

    Searches searches(3);
    std::stop_source stop;
    std::vector<std::string> found(2 * kSearches.size()), stopped(kSearches.size() - 1);
    std::vector<std::thread> clients;
    for (std::size_t client = 0; client < found.size(); ++client) {
        clients.emplace_back(
            [&, client] { found[client] = (searches.*kSearches[client % kSearches.size()])({observer}); });
    }
    for (std::size_t client = 0; client < stopped.size(); ++client) {
        clients.emplace_back([&, client] {
            stopped[client] = (searches.*kSearches[client])({observer, stop.get_token()});
        });
    }
    stop.request_stop();
    for (std::thread& client : clients) client.join();
    for (std::size_t client = 0; client < found.size(); ++client)
        CHECK(found[client] == expected[client % kSearches.size()]);
    for (std::size_t client = 0; client < stopped.size(); ++client) {
        const bool is_right = stopped[client] == "interrupted" || stopped[client] == expected[client];
        CHECK(is_right);
    }
    CHECK(searches.the.session->verify_unchanged().ok());
}

}  // namespace warpseq::testing
