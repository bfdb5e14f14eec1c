#include "engines/hmm/hmm_rounds.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "engines/hmm/hmm_thresholds.h"
#include "tests/support/hmm_report_samples.h"
#include "tests/support/small_session.h"
#include "tests/support/wait_until.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

/// Hits by name, of which those in upper case are included.
HmmReport report_of(std::string_view names) {
    HmmReport report;
    for (const char name : names) {
        HmmHit hit = named_hit(std::string(1, static_cast<char>(name | 0x20)), 1, 20, 0);
        hit.reported = true;
        hit.included = name < 'a';
        report.hits.push_back(std::move(hit));
    }
    return report;
}

std::string marks_of(const HmmReport& report) {
    std::string marks;
    for (const HmmHit& hit : report.hits)
        marks += hit.change == HmmHit::Change::kNew ? '+' : hit.change == HmmHit::Change::kLost ? '-' : ' ';
    return marks;
}

}  // namespace

TEST_CASE("targets are new when they are included for the first time or again, and lost when they no longer are") {
    HmmRoundMemory memory;
    HmmReport first = report_of("ABc");
    CHECK(compare_rounds(first, {}, memory) == 2);
    CHECK(marks_of(first) == "++ ");
    HmmReport second = report_of("AbCd");
    CHECK(compare_rounds(second, {}, memory) == 1);
    CHECK(marks_of(second) == " -+ ");
    HmmReport third = report_of("CBA");
    CHECK(compare_rounds(third, {}, memory) == 1);
    CHECK(marks_of(third) == " + ");
    CHECK(memory.included == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("targets of one name are each new, and one in the memory") {
    HmmRoundMemory memory;
    HmmReport report = report_of("AABa");
    CHECK(compare_rounds(report, {}, memory) == 3);
    CHECK(memory.included == std::vector<std::string>{"a", "b"});
    HmmReport again = report_of("Aab");
    CHECK(compare_rounds(again, {}, memory) == 0);
    CHECK(marks_of(again) == " --");
}

TEST_CASE("a limit shortens the list, and what is beyond it is not included") {
    for (const std::uint64_t limit :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{4}}) {
        HmmRoundMemory memory;
        HmmReport report = report_of("ABC");
        report.reported = 3;
        CHECK(compare_rounds(report, limit, memory) == std::min<std::uint64_t>(limit, 3));
        CHECK(report.hits.size() == std::min<std::uint64_t>(limit, 3));
        CHECK(report.reported == 3);
    }
}

TEST_CASE("the query leads the alignment of a round, with a residue in every node's column") {
    const ProfileHmm query = [] {
        ProfileHmm hmm = named_profile("query", "mkxvw");
        hmm.description = "of a test";
        return hmm;
    }();
    HmmReport report;
    report.counts.targets = 520;
    HmmHit hit = named_hit("t", 1e-20, 90, 0);
    hit.domains.resize(1);
    hit.domains[0].log_pvalue = -60;
    set_alignment(hit.domains[0], 2, 3, "k..xv", "KlmX-", "99999");
    report.hits.push_back(std::move(hit));
    finish_report(report);
    CHECK(rows_of_round(report) == 2);
    const MultipleAlignment alignment = align_round(query, 3, query, report, ThreadPool(2));
    CHECK(alignment.name == "query-i3");
    CHECK(alignment.description == "of a test");
    REQUIRE(alignment.rows.size() == 2);
    CHECK(alignment.rows[0].name == "query");
    CHECK(alignment.rows[0].residues == "MK--XVW");
    CHECK(alignment.rows[0].posteriors.empty());
    CHECK(alignment.rows[1].name == "t/3-6");
    CHECK(alignment.rows[1].residues == "-KLMX--");
    CHECK(alignment.reference == "xx..xxx");

    const MultipleAlignment alone = align_round(query, 1, query, HmmReport(), ThreadPool(1));
    REQUIRE(alone.rows.size() == 1);
    CHECK(alone.rows[0].residues == "MKXVW");
    CHECK(alone.reference == "xxxxx");
    CHECK(alone.posterior_consensus.empty());
    CHECK(rows_of_round(HmmReport()) == 1);
}

TEST_CASE("queries whose round ends at the same time do not wait for each other's loops") {
    const SmallSession the(2);
    const auto engine = HmmEngine::create(*the.session, {});
    REQUIRE(engine.ok());
    Observer observer;
    std::atomic<int> inside = 0;
    std::atomic<bool> are_side_by_side = true;
    HmmRoundsSettings settings;
    settings.most_rounds = 1;
    // Each loop goes on when the other one's has begun.
    const auto take = [&](const HmmRound& round) {
        return round.pool.parallel_for(1, [&](std::uint64_t, unsigned) {
            ++inside;
            wait_until([&] { return inside == 2; });
            if (inside != 2) are_side_by_side = false;
        });
    };
    const std::vector<ProfileHmm> queries(2, the.profiles[0]);
    const auto times = search_in_rounds(**engine, *the.session, queries, settings, {observer}, take);
    REQUIRE_MESSAGE(times.ok(), times.status().message());
    CHECK(inside == 2);
    CHECK(are_side_by_side);
}
