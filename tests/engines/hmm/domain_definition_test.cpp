#include "engines/hmm/domain_definition.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "libcore/base/random.h"

using namespace warpseq;

namespace {

/// Returns regions of residues 1..n from the occupancy and the expected begins and ends at each
/// residue.
std::vector<Region> regions_of(const std::vector<float>& occupancy, const std::vector<float>& begin,
                               const std::vector<float>& end) {
    RegionFinder finder;
    float begun = 0, ended = 0;
    for (std::size_t i = 0; i < occupancy.size(); ++i) {
        begun += begin[i];
        ended += end[i];
        finder.add(begun, ended, occupancy[i]);
    }
    CHECK(finder.expected_domains() == begun);
    return finder.take_regions();
}

bool literal_link(const SampledDomain& a, const SampledDomain& b) {
    const auto share = [](int overlap, int length_a, int length_b) {
        return static_cast<float>(overlap) / static_cast<float>(std::min(length_a, length_b));
    };
    const int residues = std::min(a.residue_end, b.residue_end) - std::max(a.residue_begin, b.residue_begin) + 1;
    if (share(residues, a.residue_end - a.residue_begin + 1, b.residue_end - b.residue_begin + 1) < 0.8f) return false;
    const int nodes = std::min(a.node_end, b.node_end) - std::max(a.node_begin, b.node_begin);
    if (share(nodes, a.node_end - a.node_begin + 1, b.node_end - b.node_begin + 1) < 0.8f) return false;
    return std::abs((a.residue_begin - a.node_begin) - (b.residue_begin - b.node_begin)) <= 4 ||
           std::abs((a.residue_end - a.node_end) - (b.residue_end - b.node_end)) <= 4;
}

/// Does what the comment of cluster_domains() says, literally. It asks every pair, without
/// shortcuts.
std::vector<Envelope> literal_envelopes(const std::vector<SampledDomain>& domains, int samples) {
    std::vector<std::size_t> available;
    for (std::size_t d = domains.size(); d-- > 0;) available.push_back(d);
    std::vector<std::vector<std::size_t>> clusters;
    while (!available.empty()) {
        std::vector<std::size_t> connected{available.back()}, members;
        available.pop_back();
        while (!connected.empty()) {
            const std::size_t v = connected.back();
            connected.pop_back();
            members.push_back(v);
            for (std::size_t i = available.size(); i-- > 0;) {
                if (!literal_link(domains[v], domains[available[i]])) continue;
                connected.push_back(available[i]);
                available[i] = available.back();
                available.pop_back();
            }
        }
        std::ranges::sort(members);
        clusters.push_back(members);
    }
    struct Found {
        int from, to;
        float probability;
    };
    std::vector<Found> found;
    for (const auto& members : clusters) {
        int traces = 0, last = -1;
        for (const std::size_t d : members) {
            traces += domains[d].trace != last;
            last = domains[d].trace;
        }
        const float probability = static_cast<float>(traces) / static_cast<float>(samples);
        if (probability < 0.25f) continue;
        const int enough = static_cast<int>(std::ceil(static_cast<float>(traces) * 0.02f));
        const auto best = [&](auto coordinate, bool first) {
            int commonest = 0, commonest_count = 0, answer = -1;
            for (int at = 0; at < 2000; ++at) {
                const auto count = static_cast<int>(
                    std::ranges::count_if(members, [&](std::size_t d) { return coordinate(domains[d]) == at; }));
                if (count >= enough && count > 0 && (!first || answer < 0)) answer = at;
                if (count > commonest_count) {
                    commonest = at;
                    commonest_count = count;
                }
            }
            return answer < 0 ? commonest : answer;
        };
        const int from = best([](const SampledDomain& d) { return d.residue_begin; }, true);
        const int to = best([](const SampledDomain& d) { return d.residue_end; }, false);
        const int node_from = best([](const SampledDomain& d) { return d.node_begin; }, true);
        const int node_to = best([](const SampledDomain& d) { return d.node_end; }, false);
        if (from <= to && node_from <= node_to) found.push_back({from, to, probability});
    }
    std::ranges::stable_sort(found, {}, &Found::from);
    std::vector<char> dominated(found.size(), 0);
    for (std::size_t a = 0; a < found.size(); ++a) {
        for (std::size_t b = a + 1; b < found.size(); ++b) {
            const int overlap = std::min(found[a].to, found[b].to) - std::max(found[a].from, found[b].from) + 1;
            if (overlap == 0) break;
            const int shorter = std::min(found[a].to - found[a].from, found[b].to - found[b].from) + 1;
            if (static_cast<float>(overlap) / static_cast<float>(shorter) < 0.8f) continue;
            dominated[found[a].probability > found[b].probability ? b : a] = 1;
        }
    }
    std::vector<Envelope> envelopes;
    for (std::size_t c = 0; c < found.size(); ++c) {
        if (!dominated[c]) envelopes.push_back({found[c].from, found[c].to});
    }
    return envelopes;
}

}  // namespace

TEST_CASE("a region is where the occupancy triggers, as far as it stays above the edge") {
    //                             1      2      3      4     5     6     7      8
    const std::vector<float> occ{0.05f, 0.15f, 0.24f, 0.9f, 0.9f, 0.2f, 0.05f, 0.01f};
    const std::vector<float> begin{0, 0.06f, 0, 0.5f, 0, 0, 0, 0};
    const std::vector<float> end{0, 0, 0, 0, 0.5f, 0.05f, 0, 0};
    const auto regions = regions_of(occ, begin, end);
    REQUIRE(regions.size() == 1);
    CHECK(regions[0].from == 2);  // 0.15 - 0.06 < 0.10
    CHECK(regions[0].to == 7);
    CHECK_FALSE(regions[0].several_domains);
    CHECK(regions_of({0.24f, 0.2f}, {0, 0}, {0, 0}).empty());
    // A region that is still open at the end of the target is none, as in HMMER.
    CHECK(regions_of({0.9f, 0.9f}, {0.1f, 0}, {0, 0}).empty());
}

TEST_CASE("a domain that ends before another begins makes a region of several domains") {
    const std::vector<float> occ{0.9f, 0.9f, 0.9f, 0.9f, 0.9f, 0.0f};
    const auto several = regions_of(occ, {0.9f, 0, 0, 0.3f, 0, 0}, {0, 0, 0.3f, 0, 0.8f, 0});
    REQUIRE(several.size() == 1);
    CHECK(several[0].several_domains);
    const auto single = regions_of(occ, {0.9f, 0, 0, 0.1f, 0, 0}, {0, 0, 0.1f, 0, 0.8f, 0});
    REQUIRE(single.size() == 1);
    CHECK_FALSE(single[0].several_domains);
}

TEST_CASE("whether a region may hold several domains is what asking at every residue says") {
    Random random(23);
    std::size_t several = 0, regions = 0;
    for (int round = 0; round < 2000; ++round) {
        // Steps that add up, as floats, to something near the threshold.
        std::vector<float> occupancy, begun{0}, ended{0};
        const std::size_t residues = 3 + random.below(40);
        const auto step = [&random] {
            return random.below(4) == 0 ? static_cast<float>(random.below(1000)) * 1e-4f : 0.0f;
        };
        for (std::size_t i = 0; i < residues; ++i) {
            occupancy.push_back(i + 1 == residues ? 0.0f : i == residues / 2 ? 0.9f : 0.8f);
            begun.push_back(begun.back() + step());
            ended.push_back(ended.back() + step());
        }
        RegionFinder finder;
        for (std::size_t i = 0; i < residues; ++i) finder.add(begun[i + 1], ended[i + 1], occupancy[i]);
        for (const Region& region : finder.take_regions()) {
            const auto from = static_cast<std::size_t>(region.from), to = static_cast<std::size_t>(region.to);
            float greatest = -1;
            for (std::size_t z = from; z <= to; ++z)
                greatest = std::max(greatest, std::min(ended[z] - ended[from - 1], begun[to] - begun[z - 1]));
            CHECK(region.several_domains == (greatest >= 0.20f));
            several += region.several_domains;
            ++regions;
        }
    }
    CHECK(regions > 1500);
    CHECK(several > regions / 5);
    CHECK(several < regions - regions / 5);
}

TEST_CASE("clusters are those of asking every pair, ties included") {
    Random random(11);
    std::size_t envelopes_seen = 0, several_seen = 0;
    for (int round = 0; round < 300; ++round) {
        const int samples = 20 + static_cast<int>(random.below(60));
        const int kinds = 1 + static_cast<int>(random.below(5));
        // Short models make domains that are not even linked with themselves, because overlap on
        // the model leaves out a node.
        const int span = random.below(4) == 0 ? 6 : 80;
        std::vector<SampledDomain> domains;
        for (int trace = 0; trace < samples; ++trace) {
            for (int kind = 0; kind < kinds; ++kind) {
                if (random.below(3) == 0) continue;
                const auto jitter = [&random] {
                    return static_cast<int>(random.below(5)) * static_cast<int>(random.below(2));
                };
                const int begin = 10 + kind * span * 3 / 4 + jitter(), node = 1 + jitter();
                const int length = span / 2 + static_cast<int>(random.below(static_cast<std::uint64_t>(span)));
                domains.push_back({trace, begin, begin + length, node, node + length + jitter()});
            }
        }
        const auto found = cluster_domains(domains, samples);
        const auto expected = literal_envelopes(domains, samples);
        REQUIRE(found == expected);
        envelopes_seen += found.size();
        several_seen += found.size() > 1;
    }
    CHECK(envelopes_seen > 100);
    CHECK(several_seen > 20);
    CHECK(cluster_domains({}, 200).empty());
}
