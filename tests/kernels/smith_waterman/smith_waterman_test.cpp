// Names, choice and errors of the Smith-Waterman back ends, and the scalar reference, compared with
// scores worked out by hand. tests/conformance checks that all back ends return the same scores.
#include "kernels/smith_waterman/smith_waterman.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <stop_token>
#include <string>

#include "kernels/smith_waterman/smith_waterman_reference.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/tile_builder.h"

using namespace warpseq;

namespace {

ScoringScheme blosum62(int open = 11, int extend = 1) { return {builtin_matrix("BLOSUM62").value(), {open, extend}}; }

std::int64_t reference_raw(std::string_view query, std::string_view target, const ScoringScheme& scheme) {
    return reference_smith_waterman_raw(encode_residues(query), encode_residues(target), scheme);
}

}  // namespace

TEST_CASE("reference: scores by hand") {
    // BLOSUM62: A-A 4, C-C 9, D-D 6, E-E 5, W-W 11, A-W -3, C-W -2, D-W -4, X with anything at most
    // 0.
    CHECK(reference_raw("ACDE", "ACDE", blosum62()) == 24);
    CHECK(reference_raw("ACDE", "WCDW", blosum62()) == 15);
    CHECK(reference_raw("ACDE", "", blosum62()) == 0);
    CHECK(reference_raw("", "ACDE", blosum62()) == 0);
    CHECK(reference_raw("A", "W", blosum62()) == 0);
    CHECK(reference_raw("XXXX", "XXXX", blosum62()) == 0);
    // A gap of two costs open + 2 * extend, whichever sequence has it.
    CHECK(reference_raw("WWWWCCWWWW", "WWWWWWWW", blosum62(5, 1)) == 88 - 7);
    CHECK(reference_raw("WWWWWWWW", "WWWWCCWWWW", blosum62(5, 1)) == 88 - 7);
    CHECK(reference_raw("WWWWCCWWWW", "WWWWWWWW", blosum62(0, 0)) == 88);
    // Two gaps next to each other, one in each sequence, are allowed. CC against AA would cost 0 +
    // 0, and D against W costs -4.
    CHECK(reference_raw("WWWDWWW", "WWWWWWW", blosum62(1, 0)) == 66 - 1);
    CHECK(reference_raw("WWWDDDWWW", "WWWPPPWWW", blosum62(1, 0)) == 66 - 2);
    CHECK(reference_raw("WWWDDDWWW", "WWWPPPWWW", blosum62(11, 1)) == 66 - 3);
}

TEST_CASE("back ends by name") {
    const std::vector<CpuBackend> runnable = runnable_cpu_backends();
    REQUIRE(runnable.size() >= 2);
    CHECK(runnable[0] == CpuBackend::kReference);
    CHECK(runnable[1] == CpuBackend::kPortable);
    for (const CpuBackend backend : runnable) {
        const Result<CpuBackend> found = cpu_backend_from_name(cpu_backend_name(backend));
        REQUIRE(found.ok());
        CHECK(*found == backend);
    }
    const Result<CpuBackend> best = cpu_backend_from_name("auto");
    REQUIRE(best.ok());
    CHECK(*best == runnable.back());

    const Result<CpuBackend> unknown = cpu_backend_from_name("mmx");
    REQUIRE(!unknown.ok());
    CHECK(unknown.status().code() == StatusCode::kUsage);
    for (const CpuBackend backend : runnable) {
        CHECK(unknown.status().message().find(cpu_backend_name(backend)) != std::string::npos);
    }
    for (const CpuBackend backend : {CpuBackend::kSse41, CpuBackend::kAvx2, CpuBackend::kAvx512}) {
        if (std::find(runnable.begin(), runnable.end(), backend) != runnable.end()) continue;
        CHECK(cpu_backend_from_name(cpu_backend_name(backend)).status().code() == StatusCode::kUnavailable);
    }
}

TEST_CASE("a forced back end is the one that runs") {
    const std::vector<ResidueCode> query = encode_residues("ACDEFGHIKLMNPQRSTVWY");
    const std::vector<std::span<const ResidueCode>> queries = {query};
    for (const CpuBackend backend : runnable_cpu_backends()) {
        auto scorer = make_smith_waterman_scorer(backend, queries, blosum62());
        REQUIRE(scorer.ok());
        CHECK((*scorer)->backend() == backend);
        CHECK((*scorer)->query_count() == 1);
        CHECK((*scorer)->preferred_tiles() >= 1);
        // The tile has one lane. Its padding shows how wide the back end's vector is, so this back
        // end really ran.
        testing::TileBuilder tiles;
        tiles.add_interleaved({&query, 1});
        auto workspace = (*scorer)->make_workspace();
        std::int32_t score_raw = 0;
        (*scorer)->score(tiles.views(), *workspace, {&score_raw, 1});
        CHECK(score_raw > 100);
        CHECK(workspace->counts.cells == 400);
        const std::uint64_t computed = workspace->counts.cells + workspace->counts.padding_cells;
        switch (backend) {
            case CpuBackend::kReference: CHECK(computed == 400); break;
            case CpuBackend::kPortable:
            case CpuBackend::kSse41: CHECK(computed == 16 * 400); break;
            case CpuBackend::kAvx2: CHECK(computed == 32 * 400); break;
            case CpuBackend::kAvx512: CHECK(computed == 64 * 20 * 24); break;
        }
    }
}

TEST_CASE("a scorer that is stopped does not go through its tiles") {
    const std::vector<ResidueCode> query(700, encode_residues("W")[0]);
    const std::vector<std::span<const ResidueCode>> queries = {query};
    testing::TileBuilder tiles;
    tiles.add_linear(query);
    tiles.add_interleaved({&query, 1});
    for (const CpuBackend backend : runnable_cpu_backends()) {
        if (backend == CpuBackend::kReference) continue;  // which is for small tests and never stopped
        CAPTURE(std::string(cpu_backend_name(backend)));
        const auto scorer = make_smith_waterman_scorer(backend, queries, blosum62());
        REQUIRE(scorer.ok());
        const auto workspace = (*scorer)->make_workspace();
        std::stop_source stop;
        workspace->stop = stop.get_token();
        std::array<std::int32_t, 2> scores_raw;
        (*scorer)->score(tiles.views(), *workspace, scores_raw);
        CHECK(scores_raw == std::array<std::int32_t, 2>{700 * 11, 700 * 11});
        stop.request_stop();
        (*scorer)->score(tiles.views(), *workspace, scores_raw);
        CHECK(scores_raw[0] < 300);
        CHECK(scores_raw[1] < 300);
    }
}

TEST_CASE("a query whose score could leave 31 bits is refused") {
    SubstitutionMatrix::Table table{};
    for (auto& row : table) row.fill(127);
    const ScoringScheme scheme{SubstitutionMatrix("all 127", table), {11, 1}};
    const std::vector<ResidueCode> longest(16'909'320, 0);  // times 127: 2,147,483,640
    const std::vector<ResidueCode> too_long(16'909'321, 0);
    const std::vector<std::span<const ResidueCode>> fits = {longest}, fits_not = {longest, too_long};
    CHECK(make_smith_waterman_scorer(CpuBackend::kReference, fits, scheme).ok());
    const auto refused = make_smith_waterman_scorer(CpuBackend::kReference, fits_not, scheme);
    REQUIRE(!refused.ok());
    CHECK(refused.status().code() == StatusCode::kInvalidInput);
    CHECK(refused.status().message().find("query 2") != std::string::npos);
}
