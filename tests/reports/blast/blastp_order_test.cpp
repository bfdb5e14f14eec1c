// Orders of hits and HSPs. tests/cli/blast/dropin_blast_test.sh compares reports in all orders with
// NCBI's.
#include "reports/blast/blastp_order.h"

#include <doctest/doctest.h>

#include <optional>

#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

using enum AlignmentOperation;
using HitOrder = BlastpLayout::HitOrder;
using HspOrder = BlastpLayout::HspOrder;

const ScoringScheme kBlosum{*builtin_matrix("BLOSUM62"), {11, 1}};

/// Three hits. One has the best HSP, one has two HSPs with more in sum, and one has the most
/// identities.
struct Example {
    ScratchFolder folder;
    std::optional<DatabaseSet> databases;
    BlastpNames names;
    BlastpSettings settings{kBlosum};
    BlastpLayout layout;
    AlignmentStatistics statistics = *AlignmentStatistics::find(kBlosum);
    BlastpQuery query;
    std::vector<BlastpHit> hits{3};

    Example() {
        const auto file = folder.path("d.wsdb");
        make_database(file, {{"s", encode_residues("MKTAYIAKQR")}});
        auto opened = DatabaseSet::open({file});
        REQUIRE(opened.ok());
        databases.emplace(*std::move(opened));
        query.residues = encode_residues("MKTAYIAKQRQISFVKSHFS");
        add(hits[0], 90, 1e-9, 0, 20, 3, "MKTAYIAKQRQISFVKWWWW");
        add(hits[1], 60, 1e-6, 10, 15, 8, "QISWW");
        add(hits[1], 50, 1e-5, 0, 10, 50, "MKTAYIAKQR");
        add(hits[2], 40, 1e-4, 2, 8, 0, "TAYIAK");
    }
    static void add(BlastpHit& hit, int score, double evalue, std::uint64_t begin, std::uint64_t end,
                    std::uint64_t target_begin, std::string_view target) {
        hit.evalue = hit.hsps.empty() ? evalue : hit.evalue;
        hit.hsps.push_back(
            {score, begin, end, target_begin, target_begin + end - begin, 0, 0, evalue, {{kMatch, end - begin}}});
        hit.aligned_targets.push_back(encode_residues(target));
    }
    BlastpRun run() const { return {*databases, names, settings, statistics, layout, 0, 0}; }
    BlastpResult result() const { return {query, 1, query.residues.size(), 1, 1, hits, {}}; }

    /// Returns hits and their HSPs as "0:0 1:1,0".
    std::string ordered(std::optional<HitOrder> by_hit, HspOrder by_hsp) {
        layout.hit_order = by_hit;
        layout.hsp_order = by_hsp;
        std::string text;
        for (const OrderedHit& hit : order_hits(run(), result())) {
            text += (text.empty() ? "" : " ") + std::to_string(hit.hit) + ":";
            for (const std::size_t i : hit.hsps) text += (text.back() == ':' ? "" : ",") + std::to_string(i);
        }
        return text;
    }
};

}  // namespace

TEST_CASE("the search's order, unless another is asked for") {
    Example example;
    CHECK(example.ordered({}, HspOrder::kEvalue) == "0:0 1:0,1 2:0");
    CHECK(example.ordered(HitOrder::kEvalue, HspOrder::kEvalue) == "0:0 1:0,1 2:0");
}

TEST_CASE("orders of hits") {
    Example example;
    CHECK(example.ordered(HitOrder::kScore, HspOrder::kEvalue) == "0:0 1:0,1 2:0");
    CHECK(example.ordered(HitOrder::kTotalScore, HspOrder::kEvalue) == "1:0,1 0:0 2:0");
    // The identities of the best HSP count, but HSPs are ordered by their own.
    CHECK(example.ordered(HitOrder::kIdentity, HspOrder::kEvalue) == "2:0 0:0 1:1,0");
    CHECK(example.ordered(HitOrder::kCoverage, HspOrder::kEvalue) == "0:0 1:0,1 2:0");
}

TEST_CASE("among equal totals the later hit comes first, as in blastp") {
    Example example;
    for (BlastpHit& hit : example.hits) hit = example.hits[2];
    CHECK(example.ordered(HitOrder::kTotalScore, HspOrder::kEvalue) == "2:0 1:0 0:0");
    CHECK(example.ordered(HitOrder::kScore, HspOrder::kEvalue) == "0:0 1:0 2:0");
}

TEST_CASE("orders of HSPs") {
    Example example;
    std::swap(example.hits[1].hsps[0], example.hits[1].hsps[1]);
    std::swap(example.hits[1].aligned_targets[0], example.hits[1].aligned_targets[1]);
    CHECK(example.ordered({}, HspOrder::kEvalue) == "0:0 1:0,1 2:0");
    CHECK(example.ordered({}, HspOrder::kScore) == "0:0 1:1,0 2:0");
    CHECK(example.ordered({}, HspOrder::kQueryStart) == "0:0 1:0,1 2:0");
    CHECK(example.ordered({}, HspOrder::kIdentity) == "0:0 1:0,1 2:0");
    CHECK(example.ordered({}, HspOrder::kTargetStart) == "0:0 1:1,0 2:0");
}

TEST_CASE("the summary of a hit in the table") {
    Example example;
    const auto hits = order_hits(example.run(), example.result());
    const HitSummary summary = summarize_hit(example.run(), example.result(), hits[1]);
    CHECK(summary.best == 0);
    CHECK(summary.total_bits == doctest::Approx(example.statistics.bits(60) + example.statistics.bits(50)));
    CHECK(summary.identity_percent == doctest::Approx(60));
    CHECK(summary.coverage_percent == 75);
    CHECK(covered_residues(example.hits[1].hsps) == 15);
}
