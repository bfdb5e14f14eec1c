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

/// A profile and targets of some thousand residues, of which one goes through the full MSV
/// recurrence.
struct Giants {
    Random random{31};
    std::size_t residues = fewer(std::size_t{3000}, std::size_t{1000});
    ProfileHmm hmm = random_profile(random, static_cast<int>(residues));
    Plan7Profile profile = configure_plan7(hmm);
    std::vector<Sequence> targets;
    TileBuilder interleaved, linear;

    Giants() {
        for (std::size_t i = 0; i < 2 * kTileLanes; ++i) targets.push_back(random_protein(random, residues));
        interleaved.add_interleaved(std::span(targets).first(kTileLanes));
        interleaved.add_interleaved(std::span(targets).last(kTileLanes));
        for (std::size_t i = 0; i < 4; ++i) linear.add_linear(targets[i]);
    }
};

}  // namespace

TEST_CASE("filters that are stopped end soon") {
    const Giants giants;
    const MsvProfile msv_profile = quantise_msv(giants.profile);
    const ViterbiProfile viterbi_profile = quantise_viterbi(giants.profile);
    const std::vector<std::span<const ResidueCode>> targets(giants.targets.begin(), giants.targets.end());
    const std::span<const ResidueCode> query = targets.front();
    for (const CpuBackend backend : runnable_cpu_backends()) {
        if (backend == CpuBackend::kReference) continue;  // which is for small tests and never stopped
        CAPTURE(std::string(cpu_backend_name(backend)));
        const auto msv = make_msv_filter(backend, {&msv_profile, 1});
        const auto ungapped = make_ungapped_filter(backend, {&query, 1}, *builtin_matrix("BLOSUM62"));
        for (const TileBuilder* tiles : {&giants.interleaved, &giants.linear}) {
            CAPTURE(tiles == &giants.linear);
            const std::vector<TileView> views = tiles->views();
            std::size_t lanes = 0;
            for (const TileView& view : views) lanes += view.lanes();
            const auto workspace = msv->make_workspace();
            std::vector<std::int16_t> results(lanes);
            CHECK(ends_soon([&](const std::stop_token& stop) {
                workspace->stop = stop;
                msv->score(views, *workspace, results);
            }));
            const auto scratch = ungapped->make_workspace();
            std::vector<std::uint8_t> scores_raw(lanes);
            CHECK(ends_soon([&](const std::stop_token& stop) {
                scratch->stop = stop;
                ungapped->score(views, *scratch, scores_raw);
            }));
        }
        const auto viterbi = make_viterbi_filter(backend, viterbi_profile);
        const auto workspace = viterbi->make_workspace();
        for (const std::size_t count : {std::size_t{1}, std::size_t{32}}) {  // striped, and interleaved where it pays
            CAPTURE(count);
            std::vector<std::int16_t> results(count);
            CHECK(ends_soon([&](const std::stop_token& stop) {
                workspace->stop = stop;
                viterbi->score(std::span(targets).first(count), *workspace, results);
            }));
        }
    }
}

TEST_CASE("a stop that is requested before a filter begins leaves its results as they were") {
    const Giants giants;
    const MsvProfile msv_profile = quantise_msv(giants.profile);
    const std::vector<std::span<const ResidueCode>> targets(giants.targets.begin(), giants.targets.end());
    const std::span<const ResidueCode> query = targets.front();
    std::stop_source stop;
    stop.request_stop();
    for (const CpuBackend backend : runnable_cpu_backends()) {
        if (backend == CpuBackend::kReference) continue;
        CAPTURE(std::string(cpu_backend_name(backend)));
        std::vector<std::int16_t> results(4, 77);
        const auto msv = make_msv_filter(backend, {&msv_profile, 1});
        const auto msv_workspace = msv->make_workspace();
        msv_workspace->stop = stop.get_token();
        msv->score(giants.linear.views(), *msv_workspace, results);
        CHECK(results == std::vector<std::int16_t>(4, 77));
        const auto viterbi = make_viterbi_filter(backend, quantise_viterbi(giants.profile));
        const auto viterbi_workspace = viterbi->make_workspace();
        viterbi_workspace->stop = stop.get_token();
        viterbi->score(std::span(targets).first(4), *viterbi_workspace, results);
        CHECK(results == std::vector<std::int16_t>(4, 77));
        std::vector<std::uint8_t> scores_raw(4, 77);
        const auto ungapped = make_ungapped_filter(backend, {&query, 1}, *builtin_matrix("BLOSUM62"));
        const auto ungapped_workspace = ungapped->make_workspace();
        ungapped_workspace->stop = stop.get_token();
        ungapped->score(giants.linear.views(), *ungapped_workspace, scores_raw);
        CHECK(scores_raw == std::vector<std::uint8_t>(4, 77));
    }
}

}  // namespace warpseq::testing
