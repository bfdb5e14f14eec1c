#include "kernels/smith_waterman/smith_waterman_plan_gpu.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"

using namespace warpseq;
using namespace warpseq::cuda;

namespace {

/// Walks a plan in the order in which the GPU computes it. Checks that every row of every query is
/// there once and in order. Checks that a continued row follows the row that it continues. Checks
/// that each query reports once in each pass that it is in.
void check_plan(const SmithWatermanPlan& plan, const std::vector<std::uint64_t>& lengths) {
    const int group = plan.shape.group_threads;
    const auto rows = static_cast<std::uint64_t>(plan.shape.rows_per_thread);
    std::vector<std::uint64_t> next_row(lengths.size(), 0);
    for (int half = 0; half < 2; ++half) {
        const Segment* before = nullptr;
        for (const Pass& pass : plan.passes) {
            for (int thread = 0; thread < kMostGroupThreads; ++thread) {
                const Segment& segment = pass.segments[half][thread];
                if (thread >= group) {
                    CHECK(segment.query == -1);
                    continue;
                }
                if (segment.query < 0) {
                    CHECK_FALSE(segment.reports);
                    CHECK_FALSE(segment.continues);
                    before = nullptr;
                    continue;
                }
                const auto query = static_cast<std::size_t>(segment.query);
                CHECK(segment.first_row == next_row[query]);
                CHECK(segment.continues == (segment.first_row > 0));
                if (segment.continues) {
                    REQUIRE(before != nullptr);
                    CHECK(before->query == segment.query);
                }
                next_row[query] = segment.first_row + rows;
                const bool last_here = thread + 1 == group || pass.segments[half][thread + 1].query != segment.query;
                CHECK(segment.reports == last_here);
                before = &segment;
            }
        }
    }
    for (std::size_t q = 0; q < lengths.size(); ++q) {
        CAPTURE(q);
        CHECK(next_row[q] >= lengths[q]);
        CHECK(next_row[q] < lengths[q] + rows);
    }
}

}  // namespace

TEST_CASE("every shape lays out every batch") {
    Random random(11);
    for (const KernelShape& shape : kernel_shapes()) {
        CAPTURE(shape.group_threads);
        CAPTURE(shape.rows_per_thread);
        for (const std::vector<std::uint64_t>& lengths :
             {std::vector<std::uint64_t>{}, {0}, {1}, {0, 5, 0}, {16, 16}, {257}, {5000, 3, 40, 41, 39, 1000}}) {
            check_plan(plan_with_shape(lengths, shape), lengths);
        }
        for (int round = 0; round < 20; ++round) {
            std::vector<std::uint64_t> lengths(random.below(30));
            for (auto& length : lengths) length = random.below(900);
            check_plan(plan_with_shape(lengths, shape), lengths);
        }
    }
}

TEST_CASE("the chosen plan is complete, and wastes little on a batch of real lengths") {
    const std::vector<std::uint64_t> lengths = {144,  189,  222,  375,  464,  567,  657,  729,  850,  1000,
                                                1500, 2005, 2504, 3005, 3564, 4061, 4548, 4743, 5147, 5478};
    const SmithWatermanPlan plan = plan_smith_waterman(lengths);
    check_plan(plan, lengths);
    CHECK(plan.shape.pairing == Pairing::kTwoQueries);
    std::uint64_t residues = 0;
    for (const std::uint64_t length : lengths) residues += length;
    const std::uint64_t rows =
        2 * plan.passes.size() * static_cast<std::uint64_t>(plan.shape.group_threads * plan.shape.rows_per_thread);
    CHECK(rows < residues * 103 / 100);
}

TEST_CASE("a query that is alone takes two targets, a short one few threads, and several passes a whole group") {
    const std::uint64_t lengths[] = {16, 100, 400, 6000};
    for (const std::uint64_t length : lengths) {
        const SmithWatermanPlan plan = plan_smith_waterman(std::span(&length, 1));
        check_plan(plan, {length});
        if (plan.has_borders()) CHECK(plan.shape.group_threads == kMostGroupThreads);
        if (length >= 100) CHECK(plan.shape.pairing == Pairing::kTwoTargets);
        if (length <= 16) CHECK(plan.shape.group_threads <= 2);
    }
}

TEST_CASE("profiles hold each row's scores where the kernel looks for them") {
    const SubstitutionMatrix matrix = *builtin_matrix("BLOSUM62");
    Random random(12);
    std::vector<std::vector<ResidueCode>> queries;
    for (const std::size_t length : {70u, 300u, 33u}) {
        auto& query = queries.emplace_back(length);
        for (auto& code : query) code = static_cast<ResidueCode>(random.below(kResidueCodes));
    }
    const std::vector<std::span<const ResidueCode>> spans(queries.begin(), queries.end());
    const std::vector<std::uint64_t> lengths = {70, 300, 33};
    const auto bits = [](int score) { return score < 0 ? 0x8000 - score : score; };
    for (const KernelShape& shape : kernel_shapes()) {
        const SmithWatermanPlan plan = plan_with_shape(lengths, shape);
        const bool two_queries = shape.pairing == Pairing::kTwoQueries;
        const int rows_per_load = two_queries ? 4 : 8, slots = std::max(8, shape.group_threads);
        for (std::size_t pass = 0; pass < plan.passes.size(); ++pass) {
            std::vector<std::uint32_t> profile(SmithWatermanLayout(shape).profile_words());
            fill_profile(plan, pass, spans, matrix, profile);
            int wrong = 0;
            for (int letter = 0; letter < kResidueTableSize; ++letter) {
                for (int slot = 0; slot < slots; ++slot) {
                    for (int row = 0; row < shape.rows_per_thread; ++row) {
                        for (int half = 0; half < (two_queries ? 2 : 1); ++half) {
                            const Segment& segment = plan.passes[pass].segments[half][slot % shape.group_threads];
                            const auto at = segment.first_row + static_cast<std::size_t>(row);
                            const bool real =
                                segment.query >= 0 && at < queries[static_cast<std::size_t>(segment.query)].size();
                            const int expected =
                                real ? matrix.score_raw(queries[static_cast<std::size_t>(segment.query)][at],
                                                        static_cast<ResidueCode>(letter))
                                     : SubstitutionMatrix::kPaddingScore;
                            const int load = row / rows_per_load, in_load = row % rows_per_load;
                            const int word = two_queries ? in_load : in_load / 2,
                                      shift = two_queries ? 16 * half : 16 * (in_load % 2);
                            const int loads = shape.rows_per_thread / rows_per_load;
                            const auto index =
                                static_cast<std::size_t>(((letter * loads + load) * slots + slot) * 4 + word);
                            wrong += static_cast<int>(profile[index] >> shift & 0xffff) != bits(expected);
                        }
                    }
                }
            }
            CHECK(wrong == 0);
        }
    }
}
