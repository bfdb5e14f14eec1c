// The arithmetic rules of the file format.
#include "formats/wsdb/wsdb_layout.h"

#include <doctest/doctest.h>

#include <vector>

using namespace warpseq;
using namespace warpseq::wsdb;

TEST_CASE("histogram bins follow each other without gaps") {
    for (std::uint64_t length = 0; length < 100000; ++length) {
        const std::size_t bin = histogram_bin(length);
        CHECK(histogram_bin_start(bin) <= length);
        CHECK(length < histogram_bin_start(bin + 1));
    }
    CHECK(histogram_bin(~std::uint64_t{0}) == kHistogramBins - 1);
}

TEST_CASE("a sequence is linear where its tile would waste more than half") {
    std::vector<std::uint64_t> lengths(32, 6000);
    CHECK_FALSE(is_linear(lengths));
    // 32 * 1,000 words against 16 * 1,000 + 16 * n words: twice as much at n = 0 exactly, which is
    // not more than twice.
    for (std::size_t i = 16; i < 32; ++i) lengths[i] = 0;
    CHECK_FALSE(is_linear(lengths));
    lengths[15] = 5994;
    CHECK(is_linear(lengths));
}

TEST_CASE("missing lanes count as waste") {
    CHECK(is_linear(std::vector<std::uint64_t>(15, 6000)));
    CHECK_FALSE(is_linear(std::vector<std::uint64_t>(16, 6000)));
}

TEST_CASE("short sequences never are linear, very long ones always are") {
    CHECK_FALSE(is_linear(std::vector<std::uint64_t>{1023}));
    CHECK(is_linear(std::vector<std::uint64_t>{1024}));
    CHECK_FALSE(is_linear(std::vector<std::uint64_t>(32, 65536)));
    CHECK(is_linear(std::vector<std::uint64_t>(32, 65537)));
}

TEST_CASE("sections have names") {
    for (std::uint32_t type = 1; type <= kKnownSections; ++type) {
        CHECK(section_name(static_cast<SectionType>(type)) != "unknown");
    }
    CHECK(section_name(static_cast<SectionType>(kKnownSections + 1)) == "unknown");
}

TEST_CASE("packed sequences come back from their lanes, in both layouts") {
    const std::vector<std::uint8_t> residues = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    for (const auto& lengths : {std::vector<std::uint64_t>{7, 3, 0}, std::vector<std::uint64_t>{10}}) {
        TileView view;
        view.layout = lengths.size() == 1 ? TileLayout::kLinear : TileLayout::kInterleaved;
        std::vector<std::uint32_t> words(tile_words(view.layout, lengths.front()), 0xffffffff);
        pack_sequences(view.layout, lengths, residues.data(), words.data());
        view.words = words;
        view.lengths_residues = lengths;
        view.word_rows = words_for(lengths.front());
        CHECK(is_sound(view));
        std::vector<std::uint8_t> back;
        for (std::uint32_t lane = 0; lane < lengths.size(); ++lane) {
            std::vector<std::uint8_t> sequence(lengths[lane]);
            unpack_lane(view, lane, sequence.data());
            back.insert(back.end(), sequence.begin(), sequence.end());
        }
        CHECK(back == residues);
    }
}
