// The rules of the file format that are arithmetic.
#include "formats/wsdb_layout.h"

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
    // 32 * 1,000 words against 16 * 1,000 + 16 * n words: twice as much at n = 0 exactly, which is not more than twice.
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
