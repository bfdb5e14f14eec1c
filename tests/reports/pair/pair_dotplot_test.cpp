// The dot plot of `search pair`: the course of lines, and their number of points, which is limited.
#include "reports/pair/pair_dotplot.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "libcore/base/random.h"
#include "tests/support/pair_samples.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

/// Returns the points of each polyline.
std::vector<std::string> lines_of(const std::string& svg) {
    std::vector<std::string> lines;
    const std::string_view start = "points=\"";
    for (std::size_t at = svg.find(start); at != std::string::npos; at = svg.find(start, at)) {
        at += start.size();
        lines.push_back(svg.substr(at, svg.find('"', at) - at));
    }
    return lines;
}

TEST_CASE("a path goes from corner to corner; on the minus strand it rises") {
    const PairInput input = one_pair(Alphabet::kNucleotide, std::string(100, 'A'), std::string(200, 'T'));
    PairDotPlot plot(input);
    plot.add(result_of(input, false, 0, 0, "50M100D50M", 0));
    plot.add(result_of(input, true, 0, 0, "100M", 0));
    plot.add(PairResult{});
    const std::string svg = plot.svg();
    const auto lines = lines_of(svg);
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] == "0,0 250,250 750,250 1000,500");
    CHECK(lines[1] == "0,500 500,0");
    CHECK(svg.find("<polyline class=\"minus\"") != std::string::npos);
    CHECK(svg.find("target, 200 residues") != std::string::npos);
}

TEST_CASE("a path of many pieces is drawn with few points") {
    Random random(1);
    std::string runs;
    std::uint64_t queries = 0, targets = 0;
    for (int i = 0; i < 200'000; ++i) {
        const std::uint64_t matches = 1 + random.below(40), gap = 1 + random.below(9);
        const bool insert = random.below(2) == 0;
        runs += std::to_string(matches) + "M" + std::to_string(gap) + (insert ? "I" : "D");
        queries += matches + (insert ? gap : 0);
        targets += matches + (insert ? 0 : gap);
    }
    const PairInput input = one_pair(Alphabet::kNucleotide, std::string(queries, 'A'), std::string(targets, 'A'));
    PairDotPlot plot(input);
    plot.add(result_of(input, false, 0, 0, runs, 0));
    const auto lines = lines_of(plot.svg());
    REQUIRE(lines.size() == 1);
    CHECK(std::ranges::count(lines[0], ',') <= 8002);
    CHECK(std::ranges::count(lines[0], ',') > 100);
    CHECK(lines[0].starts_with("0,0 "));
}

TEST_CASE("several pairs have places of their own, and only sequences in pairs do") {
    PairInput input = one_pair(Alphabet::kProtein, std::string(100, 'M'), std::string(100, 'M'));
    input.queries.push_back({"unused", pair_residues(Alphabet::kProtein, std::string(1000, 'M'))});
    input.queries.push_back({"<&>", pair_residues(Alphabet::kProtein, std::string(100, 'M'))});
    input.targets.push_back({"t2", pair_residues(Alphabet::kProtein, std::string(300, 'M'))});
    input.listed = {{0, 1}, {2, 0}};
    PairDotPlot plot(input);
    PairResult first = result_of(input, false, 0, 0, "100M", 0), second = first;
    first.target = 1;
    second.query = 2;
    plot.add(first);
    plot.add(second);
    const auto lines = lines_of(plot.svg());
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] == "250,0 500,250");
    CHECK(lines[1] == "0,250 250,500");
    CHECK(plot.svg().find("&lt;&amp;&gt;") != std::string::npos);
    CHECK(plot.svg().find("unused") == std::string::npos);
}

}  // namespace
