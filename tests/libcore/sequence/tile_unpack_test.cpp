#include "libcore/sequence/tile_unpack.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "libcore/base/random.h"

using namespace warpseq;

// The reference is unpack_lane(), which goes word by word.
TEST_CASE("all lanes at once are the lanes one by one") {
    Random random(5);
    for (const bool interleaved : {true, false}) {
        const std::size_t stride = interleaved ? kTileLanes : 1;
        for (const std::uint64_t longest : {0u, 1u, 6u, 47u, 48u, 49u, 53u, 54u, 96u, 100u, 1000u}) {
            for (const std::uint32_t lanes :
                 interleaved ? std::vector<std::uint32_t>{1, 31, 32} : std::vector<std::uint32_t>{1}) {
                for (const std::uint64_t step : {0u, 1u, 4u}) {
                    CAPTURE(interleaved);
                    CAPTURE(longest);
                    CAPTURE(lanes);
                    CAPTURE(step);
                    std::vector<std::uint64_t> lengths;
                    std::vector<std::uint32_t> words(
                        tile_words(interleaved ? TileLayout::kInterleaved : TileLayout::kLinear, longest), 0);
                    for (std::uint32_t lane = 0; lane < stride; ++lane) {
                        std::vector<ResidueCode> residues;
                        if (lane < lanes) {
                            lengths.push_back(longest - std::min<std::uint64_t>(longest, lane * step));
                            residues.resize(lengths.back());
                            for (auto& residue : residues)
                                residue = static_cast<ResidueCode>(random.below(kResidueCodes));
                        }
                        pack_lane(residues, words.data(), interleaved ? words_for(longest) : words.size(), lane,
                                  stride);
                    }
                    const TileView tile{words, lengths, words_for(longest), 0,
                                        interleaved ? TileLayout::kInterleaved : TileLayout::kLinear};
                    std::uint64_t total = 0;
                    for (const std::uint64_t length : lengths) total += length;
                    // There is one more byte, which must stay as it is.
                    std::vector<ResidueCode> together(total + 1, 77), one_by_one(total + 1, 77);
                    unpack_tile(tile, together.data());
                    std::uint64_t begin = 0;
                    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                        unpack_lane(tile, lane, one_by_one.data() + begin);
                        begin += lengths[lane];
                    }
                    CHECK(together == one_by_one);
                }
            }
        }
    }
}
