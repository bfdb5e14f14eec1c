// Every back end of kernels/seeds/ungapped_filter.h gives the same scores.
#include "kernels/seeds/ungapped_filter.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/random_proteins.h"
#include "tests/support/tile_builder.h"

using namespace warpseq;
using namespace warpseq::testing;

TEST_CASE("all back ends, queries and targets of many lengths, relatives past the ceiling among them") {
    Random random(17);
    const auto matrix = *builtin_matrix("BLOSUM62");
    std::vector<Sequence> queries, targets;
    for (const std::size_t length : {0u, 1u, 2u, 7u, 8u, 9u, 63u, 64u, 65u, 200u, 1100u})
        queries.push_back(random_codes(random, length));
    queries.push_back(random_protein(random, 300));
    for (int i = 0; i < 70; ++i) targets.push_back(random_codes(random, 1 + random.below(90)));
    targets.push_back(mutated(random, queries.back(), 0.9, 0));
    targets.push_back(mutated(random, queries.back(), 0.6, 0));
    targets.push_back({});
    std::ranges::stable_sort(targets, std::ranges::greater(), &Sequence::size);
    TileBuilder tiles;
    for (std::size_t i = 0; i < targets.size(); i += kTileLanes) {
        tiles.add_interleaved(std::span(targets).subspan(i, std::min<std::size_t>(kTileLanes, targets.size() - i)));
    }
    tiles.add_linear(queries.back());
    targets.push_back(queries.back());
    std::vector<std::span<const ResidueCode>> spans(queries.begin(), queries.end());
    const std::size_t lanes = targets.size();
    std::vector<std::uint8_t> expected(queries.size() * lanes);
    const auto reference = make_ungapped_filter(CpuBackend::kReference, spans, matrix);
    reference->score(tiles.views(), *reference->make_workspace(), expected);
    CHECK(std::ranges::count(expected, kUngappedCeiling) > 0);
    for (const CpuBackend backend : runnable_cpu_backends()) {
        const auto filter = make_ungapped_filter(backend, spans, matrix);
        const auto workspace = filter->make_workspace();
        for (int again = 0; again < 2; ++again) {  // scratch memory is used twice
            std::vector<std::uint8_t> scores(expected.size(), 99);
            filter->score(tiles.views(), *workspace, scores);
            CHECK_MESSAGE(scores == expected, std::string(cpu_backend_name(backend)));
        }
    }
}
