// Pairs in ranges, and their results as bytes. Processes that divide the pairs give the same
// results as a single one. Damaged and forged results are refused.
#include "engines/pair/pair_packet.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engines/session.h"
#include "formats/io/packet.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "libcore/scoring/nucleotide_matrix.h"
#include "libcore/sequence/nucleotide.h"
#include "tests/support/pair_samples.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

const ScoringScheme kBases52{match_mismatch_matrix(2, -3), {5, 2}};

/// Returns an input with pieces of one sequence, with errors. Half of them are of the other strand.
PairInput random_input(std::uint64_t seed, std::size_t queries, std::size_t targets, std::uint64_t longest) {
    Random random(seed);
    PairInput input;
    input.alphabet = Alphabet::kNucleotide;
    input.all_pairs = true;
    std::vector<ResidueCode> source(2 * longest);
    for (ResidueCode& code : source) code = static_cast<ResidueCode>(random.below(kBases));
    const auto piece = [&] {
        const auto begin = source.begin() + static_cast<std::ptrdiff_t>(random.below(longest));
        std::vector<ResidueCode> residues(begin, begin + static_cast<std::ptrdiff_t>(1 + random.below(longest)));
        for (ResidueCode& code : residues) {
            if (random.below(12) == 0) code = static_cast<ResidueCode>(random.below(kBases));
        }
        return random.below(2) == 0 ? residues : reverse_complement(residues);
    };
    for (std::size_t q = 0; q < queries; ++q) input.queries.push_back({"q" + std::to_string(q), piece()});
    for (std::size_t t = 0; t < targets; ++t) input.targets.push_back({"t" + std::to_string(t), piece()});
    return input;
}

/// Returns an input for tests in which only lengths matter.
PairInput input_of_lengths(const std::vector<std::size_t>& queries, const std::vector<std::size_t>& targets) {
    PairInput input;
    input.all_pairs = true;
    for (const std::size_t length : queries) input.queries.push_back({"q", std::vector<ResidueCode>(length)});
    for (const std::size_t length : targets) input.targets.push_back({"t", std::vector<ResidueCode>(length)});
    return input;
}

Observer observer;

std::unique_ptr<Session> cpu_session(unsigned threads) {
    SessionSettings settings;
    settings.device.kind = DeviceRequest::Kind::kCpu;
    settings.threads = threads;
    settings.backend = CpuBackend::kPortable;
    return *Session::open(settings);
}

std::vector<PairResult> all_results(const PairInput& input, const PairSearchSettings& settings) {
    const auto session = cpu_session(1);
    PairSearch search(*session, input, kBases52, settings, {observer});
    std::vector<PairResult> results;
    const Status status = search.run([&](const PairResult& result) {
        results.push_back(result);
        return Status();
    });
    REQUIRE_MESSAGE(status.ok(), status.message());
    CHECK(search.counts().pairs == input.pair_count());
    return results;
}

/// Returns the results of these ranges, in their order.
std::vector<PairResult> results_of(const PairInput& input, const PairSearchSettings& settings,
                                   std::deque<PairRange> ranges, unsigned threads) {
    const auto session = cpu_session(threads);
    PairSearch search(*session, input, kBases52, settings, {observer});
    std::vector<PairResult> results;
    const auto next = [&]() -> Result<std::optional<PairRange>> {
        if (ranges.empty()) return std::optional<PairRange>();
        const PairRange range = ranges.front();
        ranges.pop_front();
        return std::optional(range);
    };
    const Status status = search.run(next, [&](const PairResult& result) {
        results.push_back(result);
        return Status();
    });
    REQUIRE_MESSAGE(status.ok(), status.message());
    return results;
}

bool is_same(const PairResult& a, const PairResult& b) {
    return a.query == b.query && a.target == b.target && a.minus == b.minus && a.reversed == b.reversed &&
           a.alignment == b.alignment && a.number == b.number && a.of == b.of;
}

/// Returns the results in `bytes`, or none if not all of them can be read.
std::vector<PairResult> read(const std::string& bytes, const PairInput& input, const PairSearchSettings& settings,
                             const PairRange& range, Status& status) {
    std::vector<PairResult> results;
    status = read_pair_results(bytes, input, kBases52, settings, range, "packet 7", [&](const PairResult& result) {
        results.push_back(result);
        return Status();
    });
    return results;
}

bool is_refused(const std::string& bytes, const PairInput& input, const PairSearchSettings& settings,
                const PairRange& range) {
    Status status;
    return read(bytes, input, settings, range, status).empty() && status.code() == StatusCode::kInvalidInput &&
           status.message().find("packet 7") != std::string::npos;
}

/// Returns settings of all kinds of searches.
std::vector<PairSearchSettings> kinds_of_searches() {
    std::vector<PairSearchSettings> kinds(6);
    kinds[1].local = true;
    kinds[1].strand = PairStrand::kBoth;
    kinds[2].local = true;
    kinds[2].strand = PairStrand::kBoth;
    kinds[2].list = LocalListSettings{4, 10};
    kinds[3].free_ends = {true, true, true, true};
    kinds[3].strand = PairStrand::kMinus;
    kinds[4].score_only = true;
    kinds[4].strand = PairStrand::kBoth;
    kinds[5].free_ends.query_end = true;
    return kinds;
}

}  // namespace

TEST_CASE("ranges have every pair once, in order, and depend on the input and the number of processes alone") {
    const PairInput input = random_input(1, 9, 11, 90);
    PairInput listed = input;
    listed.all_pairs = false;
    for (std::uint64_t pair = 0; pair < input.pair_count(); ++pair) listed.listed.push_back(input.pair(pair));
    for (const std::uint64_t processes : {1u, 2u, 7u, 64u, 1000u}) {
        const auto ranges = cut_pairs(input, processes);
        CHECK(cut_pairs(listed, processes) == ranges);
        std::uint64_t next = 0;
        for (const PairRange& range : ranges) {
            CHECK(range.first == next);
            CHECK(range.count > 0);
            next = range.end();
        }
        CHECK(next == input.pair_count());
    }
    CHECK(cut_pairs(PairInput(), 3).empty());
}

TEST_CASE("there are enough ranges, of equal work except the last ones, and none is too small or too large") {
    const auto work_of = [](const PairInput& input, const PairRange& range) {
        double cells = 0;
        for (std::uint64_t pair = range.first; pair < range.end(); ++pair) {
            const auto [query, target] = input.pair(pair);
            cells += static_cast<double>(input.queries[query].residues.size()) *
                     static_cast<double>(input.targets[target].residues.size());
        }
        return cells;
    };
    const PairInput input = input_of_lengths(std::vector<std::size_t>(400, 2000), std::vector<std::size_t>(400, 3000));
    const double all = 400.0 * 400 * 2000 * 3000;
    for (const std::uint64_t processes : {1u, 3u, 8u}) {
        const auto ranges = cut_pairs(input, processes);
        CHECK(ranges.size() >= 64 * processes);
        CHECK(ranges.size() <= 256 * processes);
        for (const PairRange& range : ranges)
            CHECK(work_of(input, range) < 1.1 * all / 64 / static_cast<double>(processes));
        CHECK(work_of(input, ranges.back()) < 0.1 * work_of(input, ranges.front()));
    }
    // A small search is not cut into tiny ranges, for any number of workers. The results of a range
    // must fit into memory.
    CHECK(cut_pairs(input_of_lengths({100, 100}, {100, 100, 100}), 64).size() == 1);
    const PairInput many = input_of_lengths(std::vector<std::size_t>(2000, 1), std::vector<std::size_t>(2000, 1));
    for (const PairRange& range : cut_pairs(many, 1)) CHECK(range.count <= 65'536);
}

TEST_CASE("pairs have the same results in any ranges and in any order") {
    const PairInput input = random_input(3, 6, 7, 300);
    for (const PairSearchSettings& settings : kinds_of_searches()) {
        const auto expected = all_results(input, settings);
        for (const unsigned threads : {1u, 3u}) {
            const std::deque<PairRange> ranges{{30, 12}, {0, 1}, {5, 20}, {1, 3}};
            const auto results = results_of(input, settings, ranges, threads);
            std::size_t at = 0;
            for (const PairRange& range : ranges) {
                for (const PairResult& result : expected) {
                    const std::uint64_t pair = result.query * input.targets.size() + result.target;
                    if (pair < range.first || pair >= range.end()) continue;
                    REQUIRE(at < results.size());
                    CHECK(is_same(results[at++], result));
                }
            }
            CHECK(at == results.size());
        }
    }
}

TEST_CASE("an error of the source of ranges, or of the receiver of results, ends a search") {
    const PairInput input = random_input(3, 3, 3, 50);
    const auto session = cpu_session(2);
    PairSearch search(*session, input, kBases52, {}, {observer});
    std::size_t asked = 0, results = 0;
    const auto take = [&](const PairResult&) {
        ++results;
        return Status();
    };
    const NextPairs fails = [&]() -> Result<std::optional<PairRange>> {
        if (asked++ > 0) return Status::io("no more");
        return std::optional<PairRange>({0, 4});
    };
    CHECK(search.run(fails, take).message() == "no more");
    CHECK(results == 4);
    PairSearch other(*session, input, kBases52, {}, {observer});
    asked = 0;
    CHECK(other.run(fails, [](const PairResult&) { return Status::io("full"); }).message() == "full");
    CHECK(asked == 1);
}

TEST_CASE("results go through bytes") {
    const PairInput input = random_input(7, 5, 6, 400);
    const PairRange range{4, 21};
    for (const PairSearchSettings& settings : kinds_of_searches()) {
        const auto results = results_of(input, settings, {range}, 1);
        Status status;
        const auto again = read(to_bytes(results), input, settings, range, status);
        CHECK_MESSAGE(status.ok(), status.message());
        REQUIRE(again.size() == results.size());
        for (std::size_t r = 0; r < results.size(); ++r) CHECK(is_same(again[r], results[r]));
        // An error of the report is passed on.
        const Status full = read_pair_results(to_bytes(results), input, kBases52, settings, range, "packet 7",
                                              [](const PairResult&) { return Status::io("full"); });
        CHECK(full.message() == "full");
    }
}

TEST_CASE("bytes that are not results of these pairs are refused") {
    const PairInput input = random_input(7, 5, 6, 400);
    const PairRange range{4, 21};
    const auto kinds = kinds_of_searches();
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        const PairSearchSettings& settings = kinds[kind];
        CAPTURE(kind);
        const auto results = results_of(input, settings, {range}, 1);
        const std::string bytes = to_bytes(results);
        CHECK(is_refused(bytes.substr(0, bytes.size() - 1), input, settings, range));
        CHECK(is_refused("", input, settings, range));
        CHECK(is_refused(bytes, input, settings, {4, 20}));
        CHECK(is_refused(bytes, input, settings, {4, 22}));
        if (!settings.score_only) CHECK(is_refused(bytes, input, settings, {5, 21}));
        const auto refused_with = [&](const auto& change) {
            auto changed = results;
            change(changed);
            return is_refused(to_bytes(changed), input, settings, range);
        };
        std::size_t aligned = 0;
        while (aligned < results.size() && !results[aligned].has_alignment()) ++aligned;
        CHECK((aligned == results.size()) == settings.score_only);
        CHECK(refused_with([](auto& all) { all.pop_back(); }));
        CHECK(refused_with([](auto& all) { all.push_back(all.back()); }));
        CHECK(refused_with([](auto& all) { ++all.front().of; }));
        CHECK(refused_with([](auto& all) { all.front().number = 2; }));
        CHECK(refused_with([](auto& all) { all.front().number = all.front().of = 0; }));
        CHECK(refused_with([](auto& all) { all.back().alignment.runs = {{AlignmentOperation::kMatch, 1u << 20}}; }));
        CHECK(refused_with([](auto& all) { all.front().alignment.score_raw = std::int64_t{1} << 40; }));
        if (settings.strand != PairStrand::kBoth) CHECK(refused_with([](auto& all) { all[3].minus = !all[3].minus; }));
        if (settings.score_only) continue;
        CHECK(refused_with([&](auto& all) { ++all[aligned].alignment.score_raw; }));
        CHECK(refused_with([&](auto& all) { ++all[aligned].alignment.query_end; }));
        CHECK(refused_with([&](auto& all) { ++all[aligned].alignment.target_begin; }));
        CHECK(refused_with([&](auto& all) { all[aligned].alignment.runs.push_back({AlignmentOperation::kMatch, 0}); }));
        if (settings.local) {
            CHECK(refused_with([&](auto& all) { all[aligned].alignment = {5, 0, 0, 0, 0, {}}; }));
        } else if (!settings.free_ends.query_begin) {
            CHECK(refused_with([&](auto& all) { all[aligned].alignment = {}; }));
        }
    }
}

TEST_CASE("results of other searches, and results with a changed byte, are refused or valid") {
    const PairInput input = random_input(9, 3, 4, 60);
    const PairRange range{2, 7};
    const auto kinds = kinds_of_searches();
    Random random(5);
    std::size_t refused = 0;
    for (std::size_t made = 0; made < kinds.size(); ++made) {
        const std::string bytes = to_bytes(results_of(input, kinds[made], {range}, 1));
        for (std::size_t at = 0; at < bytes.size(); ++at) {
            std::string changed = bytes;
            changed[at] = static_cast<char>(changed[at] ^ (1 << random.below(8)));
            CHECK(is_refused(changed, input, kinds[made], range));
            changed = reseal_packet(changed);
            Status status;
            const auto results = read(changed, input, kinds[made], range, status);
            if (status.ok()) {
                CHECK(to_bytes(results) == changed);
            } else {
                CHECK(results.empty());
                ++refused;
            }
        }
        for (const PairSearchSettings& other : kinds) {
            Status status;
            const auto results = read(bytes, input, other, range, status);
            CHECK((status.ok() ? to_bytes(results) == bytes : results.empty()));
        }
    }
    CHECK(refused > 100);
}
