// Many pairs through `search pair`. Each has its own result, in order, with any threads and memory.
// Also strands, and stops by Ctrl-C.
#include "engines/pair/pair_search.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "kernels/smith_waterman/local_alignment.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "libcore/scoring/nucleotide_matrix.h"
#include "tests/support/pair_samples.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

const ScoringScheme kBases52{match_mismatch_matrix(2, -3), {5, 2}};

/// Returns sequences of many lengths, made of pieces of one another. Some are of the other strand.
PairInput random_input(std::uint64_t seed, std::size_t queries, std::size_t targets, std::uint64_t longest) {
    Random random(seed);
    PairInput input;
    input.alphabet = Alphabet::kNucleotide;
    input.all_pairs = true;
    std::vector<ResidueCode> source(2 * longest);
    for (ResidueCode& code : source) code = static_cast<ResidueCode>(random.below(kBases));
    const auto piece = [&] {
        const std::uint64_t length = 1 + random.below(longest);
        const auto begin = source.begin() + static_cast<std::ptrdiff_t>(random.below(longest));
        std::vector<ResidueCode> residues(begin, begin + static_cast<std::ptrdiff_t>(length));
        for (ResidueCode& code : residues) {
            if (random.below(12) == 0) code = static_cast<ResidueCode>(random.below(kNucleotideCodes));
        }
        return random.below(2) == 0 ? residues : reverse_complement(residues);
    };
    for (std::size_t q = 0; q < queries; ++q) input.queries.push_back({"q" + std::to_string(q), piece()});
    for (std::size_t t = 0; t < targets; ++t) input.targets.push_back({"t" + std::to_string(t), piece()});
    return input;
}

Observer observer;  // shared by all searches

std::unique_ptr<Session> cpu_session(unsigned threads) {
    SessionSettings settings;
    settings.device.kind = DeviceRequest::Kind::kCpu;
    settings.threads = threads;
    settings.backend = CpuBackend::kPortable;
    return *Session::open(settings);
}

std::vector<PairResult> search(const PairInput& input, const PairSearchSettings& settings, unsigned threads) {
    const auto session = cpu_session(threads);
    const SearchControl control{observer};
    PairSearch search(*session, input, kBases52, settings, control);
    std::vector<PairResult> results;
    const Status status = search.run([&](const PairResult& result) {
        results.push_back(result);
        return Status();
    });
    REQUIRE_MESSAGE(status.ok(), status.message());
    return results;
}

PairSearchSettings settings_of(PairMode mode, PairStrand strand) {
    PairSearchSettings settings;
    settings.local = mode == PairMode::kLocal;
    if (mode == PairMode::kSemiGlobal) settings.free_ends = {true, true, true, true};
    settings.strand = strand;
    return settings;
}

TEST_CASE("every pair of a batch has the result that it has alone, in order, with any threads and any memory") {
    const PairInput input = random_input(3, 7, 9, 700);
    for (const PairMode mode : {PairMode::kGlobal, PairMode::kLocal, PairMode::kSemiGlobal}) {
        PairSearchSettings settings = settings_of(mode, PairStrand::kBoth);
        const auto expected = search(input, settings, 1);
        REQUIRE(expected.size() == 63);
        std::size_t minus = 0, aligned = 0;
        for (std::size_t p = 0; p < expected.size(); ++p) {
            CHECK(std::pair(expected[p].query, expected[p].target) == input.pair(p));
            minus += expected[p].minus;
            aligned += expected[p].has_alignment();
            CHECK(rescore(expected[p].alignment, expected[p].aligned_query(input),
                          input.targets[expected[p].target].residues, kBases52) == expected[p].alignment.score_raw);
        }
        CHECK(minus > 10);
        CHECK(minus < 53);
        CHECK(aligned > 50);
        for (const unsigned threads : {1u, 3u}) {
            for (const std::uint64_t memory_bytes :
                 {std::uint64_t{1}, std::uint64_t{1} << 16, std::uint64_t{1} << 30}) {
                settings.memory_bytes = memory_bytes;
                const auto results = search(input, settings, threads);
                REQUIRE(results.size() == expected.size());
                for (std::size_t p = 0; p < expected.size(); ++p) {
                    CHECK(results[p].minus == expected[p].minus);
                    CHECK(results[p].alignment == expected[p].alignment);
                }
            }
        }
        settings.score_only = true;
        const auto scores = search(input, settings, 2);
        for (std::size_t p = 0; p < expected.size(); ++p) {
            CHECK(scores[p].alignment.score_raw == expected[p].alignment.score_raw);
            CHECK_FALSE(scores[p].has_alignment());
        }
    }
}

TEST_CASE("both strands: the better one, plus among equals") {
    const PairInput input = random_input(5, 6, 6, 400);
    const auto both = search(input, settings_of(PairMode::kLocal, PairStrand::kBoth), 2);
    const auto plus = search(input, settings_of(PairMode::kLocal, PairStrand::kPlus), 2);
    const auto minus = search(input, settings_of(PairMode::kLocal, PairStrand::kMinus), 2);
    for (std::size_t p = 0; p < both.size(); ++p) {
        CHECK_FALSE(plus[p].minus);
        CHECK(minus[p].minus);
        const bool minus_is_better = minus[p].alignment.score_raw > plus[p].alignment.score_raw;
        CHECK(both[p].minus == minus_is_better);
        CHECK(both[p].alignment == (minus_is_better ? minus : plus)[p].alignment);
    }
    const PairInput palindrome = one_pair(Alphabet::kNucleotide, "ACGTACGT", "ACGTACGT");
    CHECK_FALSE(search(palindrome, settings_of(PairMode::kGlobal, PairStrand::kBoth), 1)[0].minus);
}

TEST_CASE("long pairs, whose scores decide before a path is traced back, and groups cut by the memory for results") {
    const PairInput input = random_input(11, 3, 4, 3000);
    PairSearchSettings settings = settings_of(PairMode::kSemiGlobal, PairStrand::kBoth);
    const auto both = search(input, settings, 2);
    settings.memory_bytes = std::uint64_t{1} << 18;  // a group has as many pairs as threads
    const auto small = search(input, settings, 2);
    settings.strand = PairStrand::kPlus;
    const auto plus = search(input, settings, 2);
    settings.strand = PairStrand::kMinus;
    const auto minus = search(input, settings, 1);
    REQUIRE(both.size() == 12);
    std::size_t minus_count = 0;
    for (std::size_t p = 0; p < both.size(); ++p) {
        const bool minus_is_better = minus[p].alignment.score_raw > plus[p].alignment.score_raw;
        minus_count += minus_is_better;
        CHECK(both[p].minus == minus_is_better);
        CHECK(both[p].alignment == (minus_is_better ? minus : plus)[p].alignment);
        CHECK(small[p].minus == both[p].minus);
        CHECK(small[p].alignment == both[p].alignment);
    }
    CHECK(minus_count > 0);
    CHECK(minus_count < both.size());
}

TEST_CASE("lists of local alignments: of both strands together, best first, with any threads and memory") {
    const PairInput input = random_input(13, 3, 4, 600);
    PairSearchSettings settings = settings_of(PairMode::kLocal, PairStrand::kPlus);
    settings.list = LocalListSettings{12, 1};
    const auto by_pair = [&](const std::vector<PairResult>& results) {
        std::vector<std::vector<PairResult>> lists(input.pair_count());
        std::size_t next = 0;
        for (std::uint64_t pair = 0; pair < input.pair_count(); ++pair) {
            do {
                REQUIRE(next < results.size());
                const PairResult& result = results[next++];
                REQUIRE(std::pair(result.query, result.target) == input.pair(pair));
                lists[pair].push_back(result);
                REQUIRE(result.number == lists[pair].size());
            } while (results[next - 1].number < results[next - 1].of);
        }
        REQUIRE(next == results.size());
        return lists;
    };
    const auto plus = by_pair(search(input, settings, 2));
    settings.strand = PairStrand::kMinus;
    const auto minus = by_pair(search(input, settings, 2));
    settings.strand = PairStrand::kBoth;
    const auto all = search(input, settings, 1);
    const auto both = by_pair(all);
    std::size_t minus_count = 0, alignments = 0;
    for (std::uint64_t pair = 0; pair < input.pair_count(); ++pair) {
        std::vector<PairResult> merged = plus[pair];
        merged.insert(merged.end(), minus[pair].begin(), minus[pair].end());
        std::erase_if(merged, [](const PairResult& result) { return !result.has_alignment(); });
        std::ranges::stable_sort(merged, std::greater(), [](const PairResult& r) { return r.alignment.score_raw; });
        if (merged.size() > 12) merged.resize(12);
        alignments += merged.size();
        REQUIRE(both[pair].size() == std::max<std::size_t>(1, merged.size()));
        for (std::size_t r = 0; r < merged.size(); ++r) {
            CHECK(both[pair][r].minus == merged[r].minus);
            CHECK(both[pair][r].alignment == merged[r].alignment);
            minus_count += merged[r].minus;
        }
    }
    CHECK(alignments > 100);
    CHECK(minus_count > 20);
    // The first alignment is the one that is found without a list.
    settings.list.reset();
    const auto best = search(input, settings, 2);
    for (std::uint64_t pair = 0; pair < input.pair_count(); ++pair) {
        CHECK(both[pair][0].minus == best[pair].minus);
        CHECK(both[pair][0].alignment == best[pair].alignment);
    }
    settings.list = LocalListSettings{12, 1};
    for (const std::uint64_t memory_bytes : {std::uint64_t{1}, std::uint64_t{1} << 18}) {
        settings.memory_bytes = memory_bytes;
        const auto results = search(input, settings, 3);
        REQUIRE(results.size() == all.size());
        for (std::size_t r = 0; r < all.size(); ++r) CHECK(results[r].alignment == all[r].alignment);
    }
    // A single pair, which has all threads; scores that are too low.
    PairInput single;
    single.alphabet = input.alphabet;
    single.queries = {input.queries[1]};
    single.targets = {input.targets[2]};
    single.listed = {{0, 0}};
    const auto& expected = both[1 * input.targets.size() + 2];
    REQUIRE(expected.size() > 2);
    const auto alone = search(single, settings, 3);
    REQUIRE(alone.size() == expected.size());
    for (std::size_t r = 0; r < alone.size(); ++r) CHECK(alone[r].alignment == expected[r].alignment);
    settings.list->min_score_raw = expected[1].alignment.score_raw;
    const auto high = search(single, settings, 3);
    CHECK(high.size() >= 2);
    CHECK(high.size() < expected.size());
    CHECK(high.back().alignment.score_raw >= settings.list->min_score_raw);
    settings.list->min_score_raw = expected[0].alignment.score_raw + 1;
    const auto none = search(single, settings, 3);
    REQUIRE(none.size() == 1);
    CHECK_FALSE(none[0].has_alignment());
    CHECK(none[0].of == 1);
}

TEST_CASE("a stop ends it, and so does an error of a report or of a pair, by name") {
    const PairInput input = random_input(7, 5, 5, 100);
    const auto session = cpu_session(2);
    const auto run = [&](const ScoringScheme& scheme, const std::stop_source& stop, const Status& from_report) {
        const SearchControl control{observer, stop.get_token()};
        PairSearch search(*session, input, scheme, settings_of(PairMode::kGlobal, PairStrand::kPlus), control);
        return search.run([&](const PairResult&) { return from_report; });
    };
    std::stop_source stopped, going;
    stopped.request_stop();
    CHECK(run(kBases52, stopped, {}).code() == StatusCode::kInterrupted);
    CHECK(run(kBases52, going, Status::io("full")).message() == "full");
    const PairInput long_pair = one_pair(Alphabet::kNucleotide, std::string(4000, 'A'), std::string(4000, 'A'));
    const ScoringScheme costly{match_mismatch_matrix(2, -3), {0, 1'000'000}};
    const SearchControl control{observer};
    PairSearch search(*session, long_pair, costly, settings_of(PairMode::kGlobal, PairStrand::kPlus), control);
    const Status status = search.run([](const PairResult&) { return Status(); });
    CHECK(status.code() == StatusCode::kInvalidInput);
    CHECK(status.message().find("query and target: ") == 0);
}

}  // namespace
