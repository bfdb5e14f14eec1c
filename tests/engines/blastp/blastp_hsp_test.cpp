// HSPs that are contained in others or share an end with them, and their order.
#include "engines/blastp/hsp.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace warpseq;

namespace {

Hsp hsp(std::int32_t score, std::uint64_t query_begin, std::uint64_t query_end, std::uint64_t target_begin,
        std::uint64_t target_end) {
    Hsp result;
    result.score_raw = score;
    result.query_begin = query_begin;
    result.query_end = query_end;
    result.target_begin = target_begin;
    result.target_end = target_end;
    return result;
}

}  // namespace

TEST_CASE("an HSP within a better one is contained; one end outside, or a better score, and it is not") {
    HspSet set;
    set.add(hsp(100, 10, 50, 20, 60));
    CHECK(set.contains(hsp(100, 10, 50, 20, 60)));
    CHECK(set.contains(hsp(50, 12, 40, 30, 58)));
    CHECK_FALSE(set.contains(hsp(101, 12, 40, 30, 58)));
    CHECK_FALSE(set.contains(hsp(50, 9, 40, 30, 58)));
    CHECK_FALSE(set.contains(hsp(50, 12, 51, 30, 58)));
    CHECK_FALSE(set.contains(hsp(50, 12, 40, 30, 61)));
    set.clear();
    CHECK_FALSE(set.contains(hsp(50, 12, 40, 30, 58)));
}

TEST_CASE("with a common begin the set keeps the better HSP, among equals the shorter, then the earlier") {
    HspSet set;
    set.add(hsp(100, 10, 50, 20, 60));
    set.add(hsp(90, 10, 80, 20, 90));  // worse: not kept
    CHECK_FALSE(set.contains(hsp(80, 60, 80, 70, 90)));
    set.add(hsp(110, 10, 40, 20, 50));  // better: in its place
    CHECK_FALSE(set.contains(hsp(80, 45, 50, 55, 60)));
    CHECK(set.contains(hsp(80, 15, 40, 25, 50)));
    set.add(hsp(110, 10, 30, 20, 40));  // as good and shorter
    CHECK_FALSE(set.contains(hsp(80, 31, 40, 41, 50)));
}

TEST_CASE("common begins and ends are purged; the rest stays") {
    std::vector<Hsp> hsps = {hsp(50, 0, 10, 0, 10), hsp(60, 0, 12, 0, 12), hsp(40, 5, 12, 5, 12),
                             hsp(30, 20, 30, 20, 30), hsp(30, 21, 30, 21, 30)};
    purge_common_ends(hsps);
    REQUIRE(hsps.size() == 2);
    std::ranges::sort(hsps, hsp_before);
    CHECK(hsps[0].score_raw == 60);
    CHECK(hsps[1].query_begin == 21);  // equal scores at a common end: the later begin stays
}

TEST_CASE("E-values that blastp does not tell apart leave the order to scores and positions") {
    const auto with_evalue = [](Hsp of_order, double evalue) {
        of_order.evalue = evalue;
        return of_order;
    };
    const Hsp first = hsp(500, 10, 90, 1, 80), second = hsp(500, 210, 290, 1, 80);
    CHECK(lower_evalue_before(with_evalue(first, 1e-250), with_evalue(second, 1e-251)));
    CHECK_FALSE(lower_evalue_before(with_evalue(second, 1e-251), with_evalue(first, 1e-250)));
    CHECK(lower_evalue_before(with_evalue(second, 1e-171), with_evalue(first, 1e-170)));
    CHECK(lower_evalue_before(with_evalue(second, 1e-181), with_evalue(first, 1e-179)));
}
