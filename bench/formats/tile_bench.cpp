// Measures how fast residues are packed into tiles and unpacked, in residues per second.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "libcore/base/random.h"
#include "libcore/sequence/tile.h"

namespace {

using namespace warpseq;

std::vector<ResidueCode> random_residues(std::uint64_t count) {
    Random random(1);
    std::vector<ResidueCode> residues(count);
    for (ResidueCode& code : residues) code = static_cast<ResidueCode>(random.below(kResidueCodes));
    return residues;
}

/// Packs 32 lanes of one length into an interleaved tile.
void pack_tile(benchmark::State& state) {
    const auto length = static_cast<std::uint64_t>(state.range(0));
    const std::vector<ResidueCode> residues = random_residues(length);
    std::vector<std::uint32_t> words(tile_words(TileLayout::kInterleaved, length));
    for (auto _ : state) {
        for (std::size_t lane = 0; lane < kTileLanes; ++lane) {
            pack_lane(residues, words.data(), words_for(length), lane, kTileLanes);
        }
        benchmark::DoNotOptimize(words.data());
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(length * kTileLanes) *
                            static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(pack_tile)->ArgName("residues")->Arg(100)->Arg(361)->Arg(2000);

void unpack_tile(benchmark::State& state) {
    const auto length = static_cast<std::uint64_t>(state.range(0));
    std::vector<ResidueCode> residues = random_residues(length);
    std::vector<std::uint32_t> words(tile_words(TileLayout::kInterleaved, length));
    for (std::size_t lane = 0; lane < kTileLanes; ++lane) {
        pack_lane(residues, words.data(), words_for(length), lane, kTileLanes);
    }
    const std::vector<std::uint64_t> lengths(kTileLanes, length);
    const TileView tile{words, lengths, words_for(length), 0, TileLayout::kInterleaved};
    for (auto _ : state) {
        for (std::uint32_t lane = 0; lane < kTileLanes; ++lane) unpack_lane(tile, lane, residues.data());
        benchmark::DoNotOptimize(residues.data());
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(length * kTileLanes) *
                            static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(unpack_tile)->ArgName("residues")->Arg(100)->Arg(361)->Arg(2000);

}  // namespace
