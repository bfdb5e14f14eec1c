// Blocks of queries and tables of words, compared with the words' definition.
#include "kernels/seeds/word_hits_plan_gpu.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <vector>

#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/random_proteins.h"
#include "tests/support/under_sanitizers.h"

using namespace warpseq;
using namespace warpseq::cuda;
using namespace warpseq::testing;

namespace {

struct Batch {
    std::vector<Sequence> residues;
    std::vector<std::vector<QueryStretch>> stretches;

    void add(Sequence sequence) {
        stretches.push_back({{0, static_cast<std::uint32_t>(sequence.size())}});
        residues.push_back(std::move(sequence));
    }
    WordHitTables tables(const WordRule& rule, std::uint32_t window_residues, std::uint32_t diagonals) const {
        std::vector<WordHitQuery> queries;
        for (std::size_t q = 0; q < residues.size(); ++q) {
            queries.push_back(
                {residues[q], stretches[q], static_cast<std::int32_t>(q), static_cast<std::int32_t>(2 * q)});
        }
        ThreadPool pool(2);
        auto tables =
            WordHitTables::create(queries, rule, *builtin_matrix("BLOSUM62"), window_residues, pool, diagonals);
        REQUIRE(tables.ok());
        return *std::move(tables);
    }
};

/// Checks that blocks hold the queries in order among separators. Returns each query's position in
/// its block.
std::vector<std::uint32_t> check_layout(const Batch& batch, const WordHitTables& tables) {
    std::vector<std::uint32_t> positions;
    for (const WordHitBlock& block : tables.blocks()) {
        CHECK(block.first_query == positions.size());
        CHECK(block.query_count >= 1);
        CHECK(block.query_count <= kMostBlockQueries);
        CHECK(block.first_residue % kBlockMargin == 0);
        CHECK(block.residue_count + tables.window_residues() < tables.diagonals());
        const auto codes = tables.residues().subspan(block.first_residue, block.residue_count + 2 * kBlockMargin);
        std::uint32_t at = 0;
        const auto separators = [&](std::uint32_t count) {
            for (std::uint32_t i = 0; i < count; ++i) CHECK(codes[at++] == kPaddingCode);
        };
        separators(kBlockMargin);
        for (std::uint32_t q = 0; q < block.query_count; ++q) {
            if (q > 0) separators(std::max(4u, tables.window_residues()));
            positions.push_back(at - kBlockMargin);
            for (const ResidueCode code : batch.residues[block.first_query + q]) {
                CHECK(tables.query_of_residue()[block.first_residue + at] == q);
                CHECK(codes[at++] == code);
            }
        }
        CHECK(at == kBlockMargin + block.residue_count);
        separators(kBlockMargin);
    }
    CHECK(positions.size() == batch.residues.size());
    return positions;
}

}  // namespace

TEST_CASE("queries in blocks") {
    Random random(41);
    const WordRule rule = WordRule::uncompressed(*builtin_matrix("BLOSUM62"), 3, 11);
    Batch batch;
    for (int i = 0; i < 700; ++i) batch.add(random_protein(random, random.below(i % 100 == 0 ? 900 : 40)));
    for (const std::uint32_t window : {0u, 40u, 200u}) {
        const WordHitTables tables = batch.tables(rule, window, 1024);
        CHECK(tables.diagonals() >= 1024);
        CHECK(tables.blocks().size() > 10);
        check_layout(batch, tables);
        CHECK(tables.limits()[5].x_drop_raw == 5);
        CHECK(tables.limits()[699].cutoff_raw == 2 * 699);
    }
    // All queries are short, so the number of queries is the limit.
    Batch short_ones;
    for (int i = 0; i < 600; ++i) short_ones.add({1, 2, 3});
    const WordHitTables tables = short_ones.tables(rule, 0, kUsualDiagonals);
    CHECK(tables.blocks().size() == 3);
    check_layout(short_ones, tables);
    // One long query decides for all.
    Batch with_long;
    with_long.add(random_protein(random, 100));
    with_long.add(random_protein(random, 9000));
    CHECK(with_long.tables(rule, 40, kUsualDiagonals).diagonals() == 16384);
    check_layout(with_long, with_long.tables(rule, 40, kUsualDiagonals));
    CHECK(Batch().tables(rule, 40, kUsualDiagonals).blocks().empty());
}

TEST_CASE("a table lists the hits of every word") {
    Random random(42);
    const SubstitutionMatrix matrix = *builtin_matrix("BLOSUM62");
    Batch batch;
    for (int i = 0; i < 6; ++i) batch.add(random_codes(random, random.below(60)));
    batch.stretches[1] = {
        {0, 10}, {11, 13}, {20, static_cast<std::uint32_t>(std::max<std::size_t>(batch.residues[1].size(), 20))}};
    if (batch.residues[1].size() < 40)
        batch.residues[1] = random_protein(random, 40), batch.stretches[1] = {{0, 10}, {11, 13}, {20, 40}};
    batch.stretches[2] = {};
    for (const int residues : {2, 3, 4}) {
        for (const double threshold : {0.0, 8.0, 12.0, 60.0}) {
            const WordRule rule = WordRule::uncompressed(matrix, residues, threshold);
            const WordHitTables tables = batch.tables(rule, 20, 128);
            const auto positions = check_layout(batch, tables);
            const auto word = static_cast<std::size_t>(residues);
            std::size_t wrong = 0, count = 0;
            for (const WordHitBlock& block : tables.blocks()) {
                for (std::uint32_t code = 0; code < word_hit_entries(residues); code += fewer(1U, 5U)) {
                    Sequence target(word);
                    for (std::size_t k = word, rest = code; k-- > 0; rest /= kResidueCodes)
                        target[k] = static_cast<ResidueCode>(rest % kResidueCodes);
                    std::vector<std::uint16_t> expected;
                    for (std::uint32_t q = block.first_query; q < block.first_query + block.query_count; ++q) {
                        for (const QueryStretch& stretch : batch.stretches[q]) {
                            for (std::size_t i = stretch.begin; i + word <= stretch.end; ++i) {
                                int sum = 0, own = 0;
                                bool equal = true;
                                for (std::size_t k = 0; k < word; ++k) {
                                    const ResidueCode letter = batch.residues[q][i + k];
                                    sum += rule.pair_score[letter][target[k]];
                                    own += rule.pair_score[letter][letter];
                                    equal &= letter == target[k];
                                }
                                const bool hit = rule.threshold == 0
                                                     ? equal
                                                     : sum >= rule.threshold || (equal && own < rule.threshold);
                                if (hit) expected.push_back(static_cast<std::uint16_t>(positions[q] + i));
                            }
                        }
                    }
                    const WordHitEntry entry = tables.entries()[block.first_entry + code];
                    const auto hits = tables.hits().subspan(entry.first_hit, entry.hit_count);
                    wrong += !std::ranges::equal(hits, expected);
                    count += expected.size();
                }
            }
            CHECK(wrong == 0);
            CHECK(count > 0);
        }
    }
}

TEST_CASE("separators end extensions, residues score as the matrix says") {
    Batch batch;
    batch.add({1, 2, 3});
    const SubstitutionMatrix matrix = *builtin_matrix("BLOSUM62");
    const auto tables = batch.tables(WordRule::uncompressed(matrix, 3, 11), 40, kUsualDiagonals);
    for (std::size_t code = 0; code < kResidueTableSize; ++code) {
        CHECK(tables.scores()[kPaddingCode * kResidueTableSize + code] == kSeparatorScore);
        CHECK(tables.scores()[code * kResidueTableSize + kPaddingCode] == kSeparatorScore);
    }
    CHECK(tables.scores()[3 * kResidueTableSize + 2] == matrix.score_raw(3, 2));
}

TEST_CASE("rules and windows that the kernel refuses") {
    const SubstitutionMatrix matrix = *builtin_matrix("BLOSUM62");
    CHECK(word_hits_refusal(WordRule::uncompressed(matrix, 3, 11), 40) == nullptr);
    CHECK(word_hits_refusal(WordRule::uncompressed(matrix, 3, 11), 0) == nullptr);
    CHECK(word_hits_refusal(WordRule::uncompressed(matrix, 2, 0), 40) == nullptr);
    CHECK(word_hits_refusal(WordRule::uncompressed(matrix, 5, 20), 40) != nullptr);
    CHECK(word_hits_refusal(WordRule::compressed(matrix, 6, 21, 0.3176), 40) != nullptr);
    CHECK(word_hits_refusal(WordRule::uncompressed(matrix, 3, 11), 3) != nullptr);
    CHECK(word_hits_refusal(WordRule::uncompressed(matrix, 3, 11), 10000) != nullptr);
    CHECK(word_hits_refusal(WordRule::uncompressed(matrix, 3, 1), 40) != nullptr);
    CHECK(takes_word_hit_query(16000, 16, 40));
    CHECK(!takes_word_hit_query(16384, 16, 40));
    CHECK(!takes_word_hit_query(100, 40000, 40));
}
