// Stops of the MSV, Viterbi and ungapped filters. tests/conformance checks that all back ends
// return the same.
#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "kernels/profile/msv_filter.h"
#include "kernels/profile/viterbi_filter.h"
#include "kernels/seeds/ungapped_filter.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/random_profile.h"
#include "tests/support/stopped_calls.h"
#include "tests/support/tile_builder.h"
#include "tests/support/under_sanitizers.h"

namespace warpseq::testing {
namespace {

/// The nodes of the profile, and the residues of a target of size 1. One such target goes through
/// the full MSV recurrence.
constexpr std::size_t kGiantResidues = fewer(std::size_t{3000}, std::size_t{1000});

std::vector<Sequence> random_giants(std::size_t count, std::size_t residues) {
    Random random{31};
    std::vector<Sequence> targets;
    for (std::size_t i = 0; i < count; ++i) targets.push_back(random_protein(random, residues));
    return targets;
}

/// Returns tiles of targets of `residues` residues: two interleaved ones, or four linear ones.
TileBuilder giant_tiles(TileLayout layout, std::size_t residues) {
    TileBuilder tiles;
    if (layout == TileLayout::kLinear) {
        for (const Sequence& target : random_giants(4, residues)) tiles.add_linear(target);
        return tiles;
    }
    const std::vector<Sequence> targets = random_giants(2 * kTileLanes, residues);
    tiles.add_interleaved(std::span(targets).first(kTileLanes));
    tiles.add_interleaved(std::span(targets).last(kTileLanes));
    return tiles;
}

}  // namespace

TEST_CASE("filters that are stopped end soon") {
    Random random{31};
    const Plan7Profile profile = configure_plan7(random_profile(random, static_cast<int>(kGiantResidues)));
    const MsvProfile msv_profile = quantise_msv(profile);
    const ViterbiProfile viterbi_profile = quantise_viterbi(profile);
    const Sequence giant = random_protein(random, kGiantResidues);
    const std::span<const ResidueCode> query = giant;
    for (const CpuBackend backend : runnable_cpu_backends()) {
        if (backend == CpuBackend::kReference) continue;  // which is for small tests and never stopped
        CAPTURE(std::string(cpu_backend_name(backend)));
        const auto msv = make_msv_filter(backend, {&msv_profile, 1});
        const auto ungapped = make_ungapped_filter(backend, {&query, 1}, *builtin_matrix("BLOSUM62"));
        for (const TileLayout layout : {TileLayout::kInterleaved, TileLayout::kLinear}) {
            CAPTURE(layout == TileLayout::kLinear);
            const std::size_t lanes = layout == TileLayout::kLinear ? 4 : 2 * kTileLanes;
            TileBuilder tiles;
            const auto workspace = msv->make_workspace();
            std::vector<std::int16_t> results(lanes);
            CHECK(ends_soon([&](std::size_t size) {
                tiles = giant_tiles(layout, size * kGiantResidues);
                return [&](const std::stop_token& stop) {
                    workspace->stop = stop;
                    msv->score(tiles.views(), *workspace, results);
                };
            }));
            const auto scratch = ungapped->make_workspace();
            std::vector<std::uint8_t> scores_raw(lanes);
            CHECK(ends_soon([&](std::size_t size) {
                tiles = giant_tiles(layout, size * kGiantResidues);
                return [&](const std::stop_token& stop) {
                    scratch->stop = stop;
                    ungapped->score(tiles.views(), *scratch, scores_raw);
                };
            }));
        }
        const auto viterbi = make_viterbi_filter(backend, viterbi_profile);
        const auto workspace = viterbi->make_workspace();
        for (const std::size_t count : {std::size_t{1}, std::size_t{32}}) {  // striped, and interleaved where it pays
            CAPTURE(count);
            std::vector<Sequence> giants;
            std::vector<std::int16_t> results(count);
            CHECK(ends_soon([&](std::size_t size) {
                giants = random_giants(count, size * kGiantResidues);
                return [&](const std::stop_token& stop) {
                    const std::vector<std::span<const ResidueCode>> targets(giants.begin(), giants.end());
                    workspace->stop = stop;
                    viterbi->score(targets, *workspace, results);
                };
            }));
        }
    }
}

}  // namespace warpseq::testing
