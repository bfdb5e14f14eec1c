// Sequences gathered in tiles come back as they were.
#include "engines/targets/gathered_tiles.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "libcore/base/random.h"
#include "tests/support/random_proteins.h"

using namespace warpseq;
using namespace warpseq::testing;

TEST_CASE("tiles of gathered sequences") {
    Random random(51);
    GatheredTiles gathered;
    for (const std::size_t count : {70u, 0u, 1u, 32u, 33u}) {  // what was gathered before is lost
        std::vector<Sequence> sequences;
        for (std::size_t i = 0; i < count; ++i) sequences.push_back(random_protein(random, random.below(100)));
        if (count > 32) sequences.back().clear();
        std::ranges::sort(sequences, std::greater(), [](const Sequence& sequence) { return sequence.size(); });
        const std::vector<std::span<const ResidueCode>> spans(sequences.begin(), sequences.end());
        gathered.gather(spans);
        CHECK(gathered.tiles().size() == (count + kTileLanes - 1) / kTileLanes);
        std::size_t at = 0;
        for (const TileView& tile : gathered.tiles()) {
            CHECK(tile.first_sequence == at);
            CHECK(tile.words.size() == tile_words(tile.layout, tile.longest_residues()));
            for (std::uint32_t lane = 0; lane < tile.lanes(); ++lane, ++at) {
                Sequence residues(tile.lengths_residues[lane]);
                unpack_lane(tile, lane, residues.data());
                CHECK(residues == sequences[at]);
            }
            for (std::uint32_t lane = tile.lanes(); lane < kTileLanes; ++lane) {
                for (std::uint64_t row = 0; row < tile.word_rows; ++row)
                    CHECK(tile.words[row * kTileLanes + lane] == kPaddingWord);
            }
        }
        CHECK(at == count);
    }
}

TEST_CASE("a linear tile of one gathered sequence") {
    Random random(52);
    GatheredTiles gathered;
    for (const std::size_t residues : {1000u, 0u, 1u, 6u, 192u, 193u}) {
        const Sequence sequence = random_protein(random, residues);
        gathered.gather_linear(sequence);
        REQUIRE(gathered.tiles().size() == 1);
        const TileView& tile = gathered.tiles().front();
        CHECK(tile.layout == TileLayout::kLinear);
        CHECK(tile.lanes() == 1);
        CHECK(tile.words.size() == tile_words(tile.layout, residues));
        Sequence unpacked(residues);
        unpack_lane(tile, 0, unpacked.data());
        CHECK(unpacked == sequence);
        CHECK(is_sound(tile));
    }
}
