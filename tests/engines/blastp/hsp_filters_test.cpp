// Culling and best hits. Decisions are tested at their borders. Small cases are compared with a
// plain list, and larger ones use the tree. Some tests check rounding in blastp that looks like an
// error.
#include "engines/blastp/hsp_filters.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "libcore/base/random.h"

using namespace warpseq;

namespace {

using Ids = std::vector<std::size_t>;

Hsp hsp(std::uint64_t begin, std::uint64_t end, std::int32_t score_raw, double evalue = 1,
        std::uint64_t target_begin = 0) {
    Hsp result;
    result.query_begin = begin;
    result.query_end = end;
    result.target_begin = target_begin;
    result.score_raw = score_raw;
    result.evalue = evalue;
    return result;
}

struct Placed {
    Hsp hsp;
    std::uint64_t target = 0;
};

Ids culled(std::uint64_t limit, const std::vector<Placed>& hsps, std::uint32_t query_residues = 1000) {
    HspCulling culling(limit, {0, query_residues});
    for (std::size_t i = 0; i < hsps.size(); ++i) culling.add(hsps[i].hsp, hsps[i].target, i);
    return culling.left();
}

/// Checks that of two HSPs, in either order, only this one stays.
void check_stays(std::size_t stays, const Placed& a, const Placed& b) {
    CHECK(culled(1, {a, b}) == Ids{stays});
    CHECK(culled(1, {b, a}) == Ids{1 - stays});
}
void check_both_stay(const Placed& a, const Placed& b) {
    CHECK(culled(1, {a, b}) == Ids{0, 1});
    CHECK(culled(1, {b, a}) == Ids{0, 1});
}

Ids best(const BestHitLimits& limits, const std::vector<Hsp>& hsps, std::uint64_t most_hsps = 1000) {
    BestHits best_hits(limits, most_hsps);
    for (std::size_t i = 0; i < hsps.size(); ++i) best_hits.add(hsps[i], i);
    return best_hits.left();
}

}  // namespace

TEST_CASE("culling: a better HSP takes one with which it shares half of the other's residues") {
    check_stays(0, {hsp(0, 100, 200)}, {hsp(50, 150, 100)});
    check_both_stay({hsp(0, 100, 200)}, {hsp(51, 151, 100)});
    check_both_stay({hsp(0, 100, 200)}, {hsp(100, 200, 100)});
    check_stays(0, {hsp(0, 200, 200)}, {hsp(20, 40, 199)});
    check_both_stay({hsp(20, 40, 199)}, {hsp(0, 200, 100)});  // shares a tenth of the longer one's
    check_stays(1, {hsp(0, 100, 100)}, {hsp(0, 60, 150)});
}

TEST_CASE("culling: if scores and lengths balance, the score decides, then the target, then its begin") {
    // 4 * 80 * 125 + 2 * 80 * 100 - 2 * 100 * 125 - 4 * 100 * 100 is below 0.
    check_stays(1, {hsp(0, 125, 80)}, {hsp(0, 100, 100)});
    check_stays(0, {hsp(0, 100, 50), 3}, {hsp(0, 100, 50), 4});
    check_stays(0, {hsp(0, 100, 50, 1, 7), 3}, {hsp(0, 100, 50, 1, 8), 3});
    check_stays(0, {hsp(0, 100, 51), 4}, {hsp(0, 100, 50), 3});
    // The ranges differ, and 4 s l + 2 s l - 2 s l - 4 s l is 0.
    check_stays(0, {hsp(0, 100, 50), 3}, {hsp(50, 150, 50), 4});
    // Both are equally good in every respect, so each dominates the other. The first one stays and
    // removes no other.
    CHECK(culled(1, {{hsp(0, 100, 50), 3}, {hsp(0, 100, 50), 3}}) == Ids{0});
}

TEST_CASE("culling: an HSP goes if as many as the limit dominate it, before it or behind it") {
    const std::vector<Placed> better = {{hsp(0, 100, 300), 1}, {hsp(0, 100, 200), 2}, {hsp(0, 100, 250), 3}};
    const Placed weak{hsp(10, 60, 50), 4};
    for (std::size_t place = 0; place <= better.size(); ++place) {
        std::vector<Placed> all = better;
        all.insert(all.begin() + static_cast<std::ptrdiff_t>(place), weak);
        CAPTURE(place);
        CHECK(culled(1, all).size() == 1);
        CHECK(culled(3, all).size() == 3);
        CHECK(culled(4, all).size() == 4);
        CHECK_FALSE(std::ranges::binary_search(culled(3, all), place));
    }
}

TEST_CASE("culling: in a list of fewer than twenty, each HSP is compared with all that remain") {
    Random random(41);
    for (int round = 0; round < 300; ++round) {
        const std::uint64_t limit = 1 + random.below(4);
        struct Entry {
            Placed placed;
            std::size_t id;
            std::uint64_t dominated = 0;
        };
        // The rule as fractions. A difference in score counts three times as much as one in length.
        const auto dominates = [](const Placed& p, const Placed& y) {
            const auto length = [](const Placed& x) {
                return static_cast<double>(x.hsp.query_end - x.hsp.query_begin);
            };
            const double shared = static_cast<double>(std::min(p.hsp.query_end, y.hsp.query_end)) -
                                  static_cast<double>(std::max(p.hsp.query_begin, y.hsp.query_begin));
            if (shared < length(y) / 2) return false;
            const double score = p.hsp.score_raw + y.hsp.score_raw, residues = length(p) + length(y);
            const double lead = 3 * (p.hsp.score_raw - y.hsp.score_raw) / score + (length(p) - length(y)) / residues;
            if (std::abs(lead) > 1e-9) return lead > 0;
            if (p.hsp.score_raw != y.hsp.score_raw) return p.hsp.score_raw > y.hsp.score_raw;
            return p.target < y.target;
        };
        std::vector<Placed> all;
        std::vector<Entry> list;
        for (std::size_t id = 0; id < 19; ++id) {
            const std::uint64_t begin = random.below(60);
            all.push_back({hsp(begin, begin + 10 + random.below(60), static_cast<std::int32_t>(30 + random.below(20))),
                           random.below(1'000'000'000)});
            Entry added{all.back(), id};
            for (const Entry& entry : list) added.dominated += std::uint64_t{dominates(entry.placed, added.placed)};
            if (added.dominated >= limit) continue;
            for (Entry& entry : list) entry.dominated += std::uint64_t{dominates(added.placed, entry.placed)};
            std::erase_if(list, [&](const Entry& entry) { return entry.dominated >= limit; });
            list.push_back(added);
        }
        Ids expected;
        for (const Entry& entry : list) expected.push_back(entry.id);
        REQUIRE(culled(limit, all, 200) == expected);
    }
}

TEST_CASE("culling: from twenty HSPs on ranges are halved, and a new HSP dominates all in a range that it covers") {
    const auto apart = [](std::size_t count) {
        std::vector<Placed> hsps;
        for (std::size_t i = 0; i < count; ++i) hsps.push_back({hsp(20 * i, 20 * i + 20, 100), i});
        return hsps;
    };
    // Short and strong HSPs are in the left half. Then a weak one covers all of that half.
    const Placed weak{hsp(0, 600, 10), 99};
    for (const std::size_t count : {19u, 20u, 21u}) {
        CAPTURE(count);
        std::vector<Placed> hsps = apart(count);
        hsps.push_back(weak);
        const Ids left = culled(1, hsps);
        if (count < 20) {
            CHECK(left.size() == count + 1);
        } else {
            CHECK(left == Ids{count});
        }
        CHECK(culled(2, hsps).size() == count + 1);
        // If the weak HSP is one residue shorter, it does not cover the half, and the ordinary
        // comparison decides. With 21 HSPs the half is split too, and the weak one covers its right
        // part.
        hsps.back() = {hsp(1, 600, 10), 99};
        CHECK(culled(1, hsps).size() == (count == 21 ? 14 : count + 1));
    }
}

TEST_CASE("culling: a part of a query has a tree like that of a query of its own") {
    Random random(42);
    HspCulling whole(3, {0, 500}), part(3, {9851, 10351});
    for (std::size_t id = 0; id < 400; ++id) {
        const std::uint64_t begin = random.below(450);
        Hsp of_whole = hsp(begin, begin + 5 + random.below(45), static_cast<std::int32_t>(30 + random.below(50)));
        whole.add(of_whole, id, id);
        of_whole.query_begin += 9851;
        of_whole.query_end += 9851;
        part.add(of_whole, id, id);
    }
    CHECK(whole.left() == part.left());
    CHECK(whole.left().size() > 20);
    CHECK(whole.left().size() < 200);
}

TEST_CASE("best hits: a covered HSP goes if the other's E-value is no higher and its density better by the edge") {
    const BestHitLimits exact{.overhang = 0, .score_edge = 0.2};
    // The densities are 2.5 and 2 a residue. 2.5 is 2 / 0.8, and the density has to be higher.
    CHECK(best(exact, {hsp(0, 200, 501, 1e-9), hsp(50, 150, 200, 1e-3)}) == Ids{0});
    CHECK(best(exact, {hsp(0, 200, 500, 1e-9), hsp(50, 150, 200, 1e-3)}) == Ids{0, 1});
    CHECK(best(exact, {hsp(0, 200, 501, 1e-3), hsp(50, 150, 200, 1e-3)}) == Ids{0});
    CHECK(best(exact, {hsp(0, 200, 501, 1e-2), hsp(50, 150, 200, 1e-3)}) == Ids{0, 1});
    CHECK(best(exact, {hsp(51, 200, 501, 1e-9), hsp(50, 150, 200, 1e-3)}) == Ids{0, 1});
    CHECK(best(exact, {hsp(0, 149, 501, 1e-9), hsp(50, 150, 200, 1e-3)}) == Ids{0, 1});
    // In the other order, 2 is 2.5 * 0.8, and the density has to be lower.
    CHECK(best(exact, {hsp(50, 150, 199, 1e-3), hsp(0, 200, 500, 1e-9)}) == Ids{1});
    CHECK(best(exact, {hsp(50, 150, 200, 1e-3), hsp(0, 200, 500, 1e-9)}) == Ids{0, 1});
    CHECK(best(exact, {hsp(50, 150, 199, 1e-9), hsp(0, 200, 500, 1e-3)}) == Ids{0, 1});
}

TEST_CASE("best hits: the overhang extends new HSPs and those that are already there") {
    const BestHitLimits limits{.overhang = 0.1, .score_edge = 0.2};
    // 100 residues reach 10 further at each end.
    CHECK(best(limits, {hsp(90, 210, 120, 1), hsp(100, 200, 500, 1e-9)}) == Ids{1});
    CHECK(best(limits, {hsp(89, 210, 120, 1), hsp(100, 200, 500, 1e-9)}) == Ids{0, 1});
    CHECK(best(limits, {hsp(90, 211, 120, 1), hsp(100, 200, 500, 1e-9)}) == Ids{0, 1});
    CHECK(best(limits, {hsp(100, 200, 500, 1e-9), hsp(90, 210, 120, 1)}) == Ids{0});
    CHECK(best(limits, {hsp(100, 200, 500, 1e-9), hsp(89, 210, 120, 1)}) == Ids{0, 1});
    // If there are more HSPs than the limit, all lose their overhang. So the third one then stays.
    const std::vector<Hsp> three = {hsp(100, 200, 500, 1e-9), hsp(400, 500, 500, 1e-9), hsp(90, 210, 120, 1)};
    CHECK(best(limits, three, 2) == Ids{0, 1});
    CHECK(best(limits, three, 1) == Ids{0, 1, 2});
}

TEST_CASE("an HSP goes if it is within a better one of its target, extended by three residues") {
    using Flags = std::vector<bool>;
    CHECK(within_better({}) == Flags{});
    CHECK(within_better({hsp(100, 200, 90), hsp(97, 203, 80)}) == Flags{false, true});
    CHECK(within_better({hsp(100, 200, 90), hsp(96, 203, 80)}) == Flags{false, false});
    CHECK(within_better({hsp(100, 200, 90), hsp(97, 204, 80)}) == Flags{false, false});
    CHECK(within_better({hsp(2, 50, 90), hsp(0, 20, 80)}) == Flags{false, true});
    // An HSP that was removed does not remove others.
    CHECK(within_better({hsp(100, 200, 90), hsp(97, 203, 80), hsp(94, 206, 70)}) == Flags{false, true, false});
}
