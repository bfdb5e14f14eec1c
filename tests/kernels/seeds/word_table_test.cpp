// The host's table of words, compared with the words' definition.
#include "kernels/seeds/word_table.h"

#include <doctest/doctest.h>

#include <vector>

#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/random_proteins.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

bool is_hit(const WordRule& rule, std::span<const ResidueCode> query_word, std::span<const ResidueCode> target_word) {
    int score = 0, own = 0;
    bool equal = true;
    for (std::size_t k = 0; k < query_word.size(); ++k) {
        const ResidueCode a = query_word[k], b = target_word[k];
        if (rule.letter_class[a] == WordRule::kNoClass || rule.letter_class[b] == WordRule::kNoClass) return false;
        equal = equal && a == b;
        score += rule.pair_score[a][b];
        own += rule.pair_score[a][a];
    }
    if (rule.threshold == 0) return equal;
    return score >= rule.threshold || (equal && own < rule.threshold);
}

}  // namespace

TEST_CASE("the hits of every word, letters that stand for none included, are those of the rule in ascending order") {
    Random random(31);
    const auto matrix = *builtin_matrix("BLOSUM62");
    Sequence query = random_codes(random, 60);
    query.insert(query.end(), 20, query.front());
    const std::vector<QueryStretch> stretches = {{0, 25}, {26, 28}, {29, 80}};
    std::size_t hits = 0;
    for (const int residues : {2, 3}) {
        for (const double threshold : {0.0, 9.0, 11.0, 13.0, 1000.0}) {
            const WordRule rule = WordRule::uncompressed(matrix, residues, threshold);
            REQUIRE(WordTable::takes(rule, query.size()));
            const WordTable table(query, stretches, rule);
            const std::uint32_t words = 1u << WordTable::kLetterBits * residues;
            for (std::uint32_t word = 0; word < words; ++word) {
                Sequence target;
                std::uint32_t index = ~0u;
                for (int k = residues - 1; k >= 0; --k) {
                    target.push_back(
                        static_cast<ResidueCode>(word >> k * WordTable::kLetterBits & (kResidueTableSize - 1)));
                    index = table.next_word(index, target.back());
                }
                REQUIRE(index == word);
                std::vector<std::uint16_t> expected;
                for (const QueryStretch& stretch : stretches) {
                    for (std::uint32_t i = stretch.begin; i + target.size() <= stretch.end; ++i) {
                        if (is_hit(rule, std::span(query).subspan(i, target.size()), target))
                            expected.push_back(static_cast<std::uint16_t>(i));
                    }
                }
                const auto found = table.hits(word);
                REQUIRE(std::vector<std::uint16_t>(found.begin(), found.end()) == expected);
                hits += expected.size();
            }
        }
    }
    CHECK(hits > 1000);
}

TEST_CASE("a table takes words of up to 3 residues, small neighbourhoods, and positions that fit 16 bits") {
    const auto matrix = *builtin_matrix("BLOSUM62");
    const auto takes = [&](int residues, double threshold, std::size_t query_residues) {
        return WordTable::takes(WordRule::uncompressed(matrix, residues, threshold), query_residues);
    };
    CHECK(takes(3, 11, 65'536));
    CHECK_FALSE(takes(3, 11, 65'537));
    CHECK(takes(3, 9, 400));
    CHECK_FALSE(takes(3, 8, 400));
    CHECK(takes(3, 0, 400));
    CHECK(takes(2, 6, 400));
    CHECK_FALSE(takes(2, 5, 400));
    CHECK_FALSE(takes(4, 13, 400));

    // The last word of the longest query.
    Sequence query(65'536, encode_residues("A")[0]);
    const Sequence last = encode_residues("WCH");
    std::copy(last.begin(), last.end(), query.end() - 3);
    const std::vector<QueryStretch> all = {{0, 65'536}};
    const WordTable table(query, all, WordRule::uncompressed(matrix, 3, 11));
    std::uint32_t word = 0;
    for (const ResidueCode letter : last) word = table.next_word(word, letter);
    REQUIRE(table.hits(word).size() == 1);
    CHECK(table.hits(word).front() == 65'533);
}
