// Several searches at once that share databases and threads, as a server's do: each gets what it would get alone.
#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engines/blastp/blastp_screen.h"
#include "engines/blastp/blastp_search.h"
#include "engines/hmm/calibration.h"
#include "engines/hmm/hmm_search.h"
#include "engines/sw/sw_search.h"
#include "formats/wsdb_validate.h"
#include "kernels/pair/pair_alignment.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/blastp_hits.h"
#include "tests/support/make_database.h"
#include "tests/support/random_profile.h"
#include "tests/support/random_proteins.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

struct Session {
    Session() {
        Random random(91);
        for (int family = 0; family < 3; ++family) {
            const Sequence ancestor = random_protein(random, 120);
            queries.push_back({"q" + std::to_string(family), mutated(random, ancestor, 0.9)});
            for (int member = 0; member < 6; ++member)
                sequences.push_back(
                    {std::to_string(family) + "." + std::to_string(member), mutated(random, ancestor, 0.7)});
        }
        for (int i = 0; i < 80; ++i)
            sequences.push_back({"r" + std::to_string(i), random_protein(random, 1 + random.below(200))});
        ProfileHmm profile = random_profile(random, 30);
        profile.statistics = *calibrate(profile, CpuBackend::kPortable);
        profiles.push_back(std::move(profile));
        for (int i = 0; i < 5; ++i) sequences.push_back({"h" + std::to_string(i), emitted(random, profiles[0], 1, 30)});
        make_database(folder.path("a.wsdb"), sequences, {.codec = ResidueCodec::kPacked});
        make_database(folder.path("b.wsdb"), sequences, {.codec = ResidueCodec::kZstd});
        databases = *DatabaseSet::open({folder.path("a.wsdb"), folder.path("b.wsdb")});
        space.database_residues = databases->residue_count();
    }

    std::string sw(const ThreadPool& pool) const {
        SwSearchSettings settings;
        settings.space = space;
        settings.chunk_bytes = 4096;
        SwSearch search(*databases, scheme, statistics, settings, pool);
        Progress progress;
        const auto hits = search.find_hits(queries, whole_share(*databases), progress);
        if (!hits.ok()) return hits.status().message();
        const auto reported = search.finish(queries, *hits, {true, true});
        if (!reported.ok()) return reported.status().message();
        std::string text;
        for (const auto& of_query : *reported) {
            for (const ReportedHit& hit : of_query)
                text += hit.target_header + " " + std::to_string(hit.hit.score_raw) + "\n";
        }
        return text;
    }

    std::string hmm(const ThreadPool& pool) const {
        HmmSearchSettings settings;
        settings.chunk_bytes = 4096;
        HmmSearch search(*databases, settings, pool);
        const auto batch = search.prepare(profiles, {HmmThresholds()});
        if (!batch.ok()) return batch.status().message();
        Progress progress;
        auto partial = search.scan(*batch, whole_share(*databases), progress);
        if (!partial.ok()) return partial.status().message();
        const auto reports = search.finish(*batch, *std::move(partial));
        if (!reports.ok()) return reports.status().message();
        std::string text;
        for (const HmmHit& hit : reports->front().hits)
            text += hit.target_name + " " + std::to_string(hit.score_bits) + "\n";
        return text;
    }

    std::string blastp(const ThreadPool& pool) const {
        const BlastpParameters parameters{scheme, *statistics, WordRule::uncompressed(scheme.matrix, 3, 11)};
        std::vector<BlastpQuery> prepared;
        for (const Query& query : queries)
            prepared.push_back(make_blastp_query(query.header, query.residues, {}, parameters, space));
        const auto parts = all_searched_parts(prepared);
        BlastpScreen screen(*databases, parameters, space, 4096, pool);
        Progress progress;
        const auto candidates = screen.find_candidates(parts, scanned_parts(parts), whole_share(*databases), progress);
        if (!candidates.ok()) return candidates.status().message();
        BlastpSearch search(*databases, parameters, space, {}, pool);
        const auto hits = find_hits(search, prepared, *candidates);
        if (!hits.ok()) return hits.status().message();
        std::string text;
        for (const auto& of_query : *hits) {
            for (const BlastpHit& hit : of_query)
                text += std::to_string(hit.position) + " " + std::to_string(hit.hsps.front().score_raw) + "\n";
        }
        return text;
    }

    std::string pair(const ThreadPool& pool) const {
        const auto sweeper = make_cpu_pair_sweeper(CpuBackend::kPortable, {scheme, true}, pool);
        const PairProblem problem{queries[0].residues, sequences[0].residues, true, {}};
        const auto alignment = align_pair(problem, scheme, {1}, *sweeper, CpuBackend::kPortable, {});
        return alignment.ok() ? std::to_string(alignment->score_raw) : alignment.status().message();
    }

    std::string validate(const ThreadPool& pool) const {
        const auto found = validate_wsdb(folder.path("b.wsdb"), pool, {});
        return found.ok() ? std::to_string(found->faults.size()) + " faults" : found.status().message();
    }

    ScratchFolder folder;
    std::vector<TestSequence> sequences;
    std::vector<Query> queries;
    std::vector<ProfileHmm> profiles;
    std::optional<DatabaseSet> databases;
    SearchSpace space;
    ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    std::optional<AlignmentStatistics> statistics = AlignmentStatistics::find(scheme);
};

}  // namespace

TEST_CASE("searches of all engines at once, with one pool and one set of databases") {
    const Session session;
    using Search = std::string (Session::*)(const ThreadPool&) const;
    const std::array<Search, 5> searches{&Session::sw, &Session::hmm, &Session::blastp, &Session::pair,
                                         &Session::validate};
    std::vector<std::string> expected;
    ThreadPool one(1);
    for (const Search search : searches) expected.push_back((session.*search)(one));
    CHECK(std::count(expected[0].begin(), expected[0].end(), '\n') > 20);
    CHECK(std::count(expected[1].begin(), expected[1].end(), '\n') >= 10);
    CHECK(std::count(expected[2].begin(), expected[2].end(), '\n') > 20);
    CHECK(expected[4] == "0 faults");

    ThreadPool pool(3);
    std::vector<std::string> found(2 * searches.size());
    std::vector<std::thread> clients;
    for (std::size_t client = 0; client < found.size(); ++client) {
        clients.emplace_back([&, client] { found[client] = (session.*searches[client % searches.size()])(pool); });
    }
    for (std::thread& client : clients) client.join();
    for (std::size_t client = 0; client < found.size(); ++client)
        CHECK(found[client] == expected[client % searches.size()]);
}
