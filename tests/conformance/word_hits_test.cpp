// Every back end of kernels/seeds/word_hits.h on one table of cases: equal alignments, whatever the
// words, windows and sequences.
#include "kernels/seeds/word_hits.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/seeds/word_hits_simd.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "libcore/scoring/word_rule.h"
#include "tests/support/random_proteins.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

std::vector<UngappedAlignment> found_by(CpuBackend backend, std::span<const ResidueCode> query,
                                        std::span<const QueryStretch> stretches, std::span<const ResidueCode> target,
                                        const WordRule& rule, const SubstitutionMatrix& matrix,
                                        const WordHitSettings& settings) {
    const auto finder = make_word_hit_finder(backend, query, stretches, rule, matrix, settings);
    WordHitWorkspace workspace;
    std::vector<UngappedAlignment> found = {{1, 2, 3, 4}};  // find() clears it
    finder->find(target, workspace, found);
    return found;
}

std::vector<WordRule> rules(const SubstitutionMatrix& matrix) {
    std::vector<WordRule> all;
    for (const int residues : {2, 3, 4, 5}) {
        for (const double threshold : {0.0, 5.0, 11.0, 13.0, 60.0})
            all.push_back(WordRule::uncompressed(matrix, residues, threshold));
    }
    for (const int residues : {6, 7}) {
        for (const double threshold : {0.0, 11.0, 21.0})
            all.push_back(WordRule::compressed(matrix, residues, threshold, 0.3176));
    }
    return all;
}

}  // namespace

TEST_CASE("relatives, repeats and odd letters: every back end finds the same") {
    Random random(7);
    const auto matrix = *builtin_matrix("BLOSUM62");
    std::size_t kept = 0;
    // Queries of 128 residues and more have a table of their words.
    const std::array<std::size_t, 6> lengths = {40, 127, 128, 129, 180, 150};
    for (std::size_t round = 0; round < lengths.size(); ++round) {
        const std::size_t length = lengths[round];
        const Sequence ancestor = random_protein(random, round % 2 == 1 ? length - 30 : length);
        Sequence query = mutated(random, ancestor, 0.7);
        Sequence target = random_protein(random, random.below(30));
        const Sequence relative = mutated(random, ancestor, 0.7);
        target.insert(target.end(), relative.begin(), relative.end());
        if (round % 2 == 1) {
            for (int i = 0; i < 10; ++i)
                query[random.below(query.size())] = target[random.below(target.size())] = kCodeX;
            target.insert(target.end(), 50, query.front());
        }
        query.resize(length, query.front());
        const auto size = static_cast<std::uint32_t>(query.size());
        const std::vector<std::vector<QueryStretch>> masks = {
            {{0, size}}, {{0, size / 3}, {size / 3 + 1, size / 2}, {size / 2, size}}, {}};
        for (const auto& stretches : masks) {
            for (const WordRule& rule : rules(matrix)) {
                for (const std::uint32_t window : {0u, 15u, 40u}) {
                    const WordHitSettings settings{window, 16, 20};
                    const auto expected =
                        found_by(CpuBackend::kReference, query, stretches, target, rule, matrix, settings);
                    kept += expected.size();
                    for (const CpuBackend backend : runnable_cpu_backends()) {
                        const auto found = found_by(backend, query, stretches, target, rule, matrix, settings);
                        CHECK_MESSAGE(found == expected, std::string(cpu_backend_name(backend)), ", round ", round,
                                      ", words of ", rule.residues, ", threshold ", rule.threshold, ", window ",
                                      window);
                    }
                }
            }
        }
    }
    CHECK(kept > 1000);
}

TEST_CASE("relatives across the borders of segments of a long target: every back end finds the same") {
    Random random(11);
    const auto matrix = *builtin_matrix("BLOSUM62");
    // A query of 90 residues has no table of its words, and one of 150 has.
    const Sequence queries[] = {random_protein(random, 90), random_protein(random, 150)};
    std::ptrdiff_t crossing = 0;
    const auto compare = [&](const Sequence& query, std::size_t beyond) {
        const std::vector<QueryStretch> all = {{0, static_cast<std::uint32_t>(query.size())}};
        Sequence target = random_protein(random, 2 * cpu::kWordSegmentResidues + beyond);
        const auto plant = [&](std::size_t begin) {
            const Sequence relative = mutated(random, query, 0.75);
            for (std::size_t i = 0; i < relative.size() && begin + i < target.size(); ++i)
                target[begin + i] = relative[i];
        };
        for (const std::size_t border : {cpu::kWordSegmentResidues, 2 * cpu::kWordSegmentResidues})
            plant(border - 10 - 13 * (beyond % 7));
        plant(cpu::kWordSegmentResidues / 2);
        for (const int residues : {2, 3, 6}) {
            const WordRule rule = residues < 6 ? WordRule::uncompressed(matrix, residues, 11)
                                               : WordRule::compressed(matrix, residues, 21, 0.3176);
            for (const std::uint32_t window : {0u, 40u}) {
                const WordHitSettings settings{window, 16, 20};
                const auto expected = found_by(CpuBackend::kReference, query, all, target, rule, matrix, settings);
                crossing += std::ranges::count_if(expected, [](const UngappedAlignment& found) {
                    return found.target_begin < cpu::kWordSegmentResidues &&
                           found.target_begin + found.length > cpu::kWordSegmentResidues;
                });
                for (const CpuBackend backend : runnable_cpu_backends()) {
                    CHECK_MESSAGE(found_by(backend, query, all, target, rule, matrix, settings) == expected,
                                  std::string(cpu_backend_name(backend)), ", ", beyond, " beyond, words of ", residues,
                                  ", window ", window);
                }
            }
        }
    };
    // Targets end at a border, beside it, and within a word or a query of it.
    for (const std::size_t beyond :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{50}, std::size_t{400}}) {
        for (const Sequence& query : queries) compare(query, beyond);
    }
    CHECK(crossing > 20);
}

TEST_CASE("the alignments of repetitive sequences, more than are sorted at once, are in order") {
    const auto matrix = *builtin_matrix("BLOSUM62");
    Random random(13);
    const auto mostly_one_letter = [&](std::size_t residues) {
        Sequence sequence(residues, encode_residues("G")[0]);
        for (ResidueCode& code : sequence) {
            if (random.below(4) == 0) code = random_residue(random);
        }
        return sequence;
    };
    const Sequence query = mostly_one_letter(8000), target = mostly_one_letter(30'000);
    const std::vector<QueryStretch> all = {{0, 8000}};
    const auto found = found_by(runnable_cpu_backends().back(), query, all, target,
                                WordRule::uncompressed(matrix, 3, 11), matrix, {40, 16, 20});
    CAPTURE(found.size());
    REQUIRE(found.size() > 3 * (1 << 16));
    CHECK(std::ranges::is_sorted(found, {}, [](const UngappedAlignment& alignment) {
        return std::tuple(-alignment.score_raw, alignment.target_begin, -std::int64_t{alignment.length},
                          alignment.query_begin);
    }));
}

TEST_CASE("a finder that is stopped finds nothing more") {
    const auto matrix = *builtin_matrix("BLOSUM62");
    Random random(12);
    for (const std::uint32_t residues : {100u, 200u}) {  // without a table of words, and with one
        const Sequence query = random_protein(random, residues);
        const std::vector<QueryStretch> all = {{0, residues}};
        for (const CpuBackend backend : runnable_cpu_backends()) {
            if (backend == CpuBackend::kReference) continue;  // which is for small tests and never stopped
            const auto finder =
                make_word_hit_finder(backend, query, all, WordRule::uncompressed(matrix, 3, 11), matrix, {40, 16, 20});
            WordHitWorkspace workspace;
            std::stop_source stop;
            workspace.stop = stop.get_token();
            std::vector<UngappedAlignment> found;
            finder->find(query, workspace, found);
            CHECK(found.size() >= 1);
            stop.request_stop();
            finder->find(query, workspace, found);
            CHECK(found.empty());
        }
    }
}

TEST_CASE("letters that are in no hit are in none beside the best ones either") {
    const auto matrix = *builtin_matrix("BLOSUM62");
    const auto query = encode_residues("WWWWWWWWCCCCCCCCCCWWWWWWWWW");
    for (const int residues : {6, 7}) {
        const WordRule rule = WordRule::compressed(matrix, residues, 11, 0.3176);
        for (const char* const text : {"WWWXWWWWCCCUCCC*CCWWWXWWWWW", "WWWWWXWWCXCCCCCXCCWWWWWWXWW"}) {
            const auto target = encode_residues(text);
            const std::vector<QueryStretch> all = {{0, static_cast<std::uint32_t>(query.size())}};
            for (const std::uint32_t window : {0u, 40u}) {
                const auto expected =
                    found_by(CpuBackend::kReference, query, all, target, rule, matrix, {window, 16, 1});
                for (const CpuBackend backend : runnable_cpu_backends())
                    CHECK(found_by(backend, query, all, target, rule, matrix, {window, 16, 1}) == expected);
            }
        }
    }
}

TEST_CASE("sequences shorter than a word, or empty, have no words") {
    const auto matrix = *builtin_matrix("BLOSUM62");
    const WordRule rule = WordRule::uncompressed(matrix, 3, 11);
    const auto whole = encode_residues("WWWWWWWWWW");
    const Sequence with_table(200, whole.front());
    for (const CpuBackend backend : runnable_cpu_backends()) {
        for (std::size_t length = 0; length < 3; ++length) {
            const auto piece = std::span<const ResidueCode>(whole).first(length);
            const std::vector<QueryStretch> all = {{0, static_cast<std::uint32_t>(length)}}, ten = {{0, 10}},
                                            two_hundred = {{0, 200}};
            CHECK(found_by(backend, piece, all, whole, rule, matrix, {0, 16, 1}).empty());
            CHECK(found_by(backend, whole, ten, piece, rule, matrix, {0, 16, 1}).empty());
            CHECK(found_by(backend, with_table, two_hundred, piece, rule, matrix, {0, 16, 1}).empty());
        }
    }
}

TEST_CASE("two hits: a worked example") {
    // Hits at 0, 1, 5 and 6 of one diagonal (WCH, CHG, GWC, WCH). That at 1 overlaps the first; the
    // one at 5 is 5 from it.
    const auto matrix = *builtin_matrix("BLOSUM62");
    const WordRule rule = WordRule::uncompressed(matrix, 3, 11);
    const auto query = encode_residues("WCHGGGWCH"), target = encode_residues("WCHPPPWCH");
    const std::vector<QueryStretch> stretches = {{0, 9}};
    for (const CpuBackend backend : runnable_cpu_backends()) {
        // W/W 11, C/C 9, H/H 8: 28 for a word; G/P -2.
        const auto found = found_by(backend, query, stretches, target, rule, matrix, {40, 16, 30});
        CHECK(found == std::vector<UngappedAlignment>{{0, 0, 9, 28 - 6 + 28}});
        CHECK(found_by(backend, query, stretches, target, rule, matrix, {5, 16, 30}).empty());
        CHECK(found_by(backend, query, stretches, target, rule, matrix, {6, 16, 30}).size() == 1);
    }
}

TEST_CASE("a query's own words are found, however low they score") {
    const auto matrix = *builtin_matrix("BLOSUM62");
    const WordRule rule = WordRule::uncompressed(matrix, 3, 13);
    const auto query = encode_residues("AAA"), target = encode_residues("GGAAAGG");  // AAA scores 12 with itself
    const std::vector<QueryStretch> stretches = {{0, 3}};
    for (const CpuBackend backend : runnable_cpu_backends()) {
        CHECK(found_by(backend, query, stretches, target, rule, matrix, {0, 16, 12}) ==
              std::vector<UngappedAlignment>{{0, 2, 3, 12}});
    }
}
