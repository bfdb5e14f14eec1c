// Tiles that a GPU copies directly from their pages. They are the same as those that it copies
// through buffers.
#include "kernels/gpu/pinned_pages.h"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/smith_waterman/smith_waterman_gpu.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/gpu.h"
#include "tests/support/random_proteins.h"

using namespace warpseq;
using namespace warpseq::testing;

TEST_CASE("tiles in pages that are pinned, or are not for want of a limit, have the scores of tiles elsewhere") {
    if (!have_gpu()) return;
    // The range is larger than a piece that is pinned at once.
    constexpr std::size_t kRangeBytes = std::size_t{80} << 20;
    void* const memory = mmap(nullptr, kRangeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    auto* const words = static_cast<std::uint32_t*>(memory);
    Random random(71);
    const Sequence query = random_protein(random, 90);
    std::vector<TileView> tiles;
    constexpr std::uint64_t kLength = 6 * 40'000;
    const std::vector<std::uint64_t> lengths(1, kLength);
    const std::size_t tile_word_count = tile_words(TileLayout::kLinear, kLength);
    for (std::size_t at = 0; (at + tile_word_count) * sizeof(std::uint32_t) <= kRangeBytes; at += tile_word_count) {
        const Sequence target = random_protein(random, kLength);
        pack_lane(target, words + at, tile_word_count, 0, 1);
        tiles.push_back(
            {std::span(words + at, tile_word_count), lengths, words_for(kLength), tiles.size(), TileLayout::kLinear});
    }
    const auto gpu = cuda::SmithWatermanGpu::create(0);
    REQUIRE_MESSAGE(gpu.ok(), gpu.status().message());
    const std::span<const ResidueCode> residues(query);
    const auto batch = std::make_shared<const cuda::SmithWatermanBatch>(
        std::span(&residues, 1), ScoringScheme{*builtin_matrix("BLOSUM62"), {11, 1}});
    const auto scores_of = [&](const cuda::UploadSource& source) {
        const auto targets = (*gpu)->upload(tiles, nullptr, source);
        REQUIRE_MESSAGE(targets.ok(), targets.status().message());
        REQUIRE((*gpu)->reserve(kRangeBytes).ok());
        const auto scores = (*gpu)->score(batch, **targets);
        REQUIRE_MESSAGE(scores.ok(), scores.status().message());
        return std::vector<std::uint16_t>(scores->begin(), scores->end());
    };
    const std::vector<std::uint16_t> expected = scores_of({});
    CHECK(expected.size() == tiles.size());
    CHECK(expected.front() > 20);
    const std::span<const std::uint8_t> range(static_cast<const std::uint8_t*>(memory), kRangeBytes);
    {
        const auto pages = cuda::make_pinned_pages(range, kRangeBytes);
        CHECK(pages->pin(range.data()) > 0);
        CHECK(pages->pin(range.data() + range.size()) == 0);
        CHECK(scores_of({.pages = pages.get()}) == expected);
        // The range is pinned already. Pinning it again is refused, and the copy goes another way.
        const auto again = cuda::make_pinned_pages(range, kRangeBytes);
        CHECK(again->pin(range.data()) == 0);
        CHECK(scores_of({.pages = again.get()}) == expected);
    }
    {
        // The first piece has no room, the second one has.
        const auto few = cuda::make_pinned_pages(range, std::uint64_t{20} << 20);
        CHECK(few->pin(range.data()) == 0);
        CHECK(few->pin(range.data() + range.size() - 1) == 1);
        CHECK(scores_of({.pages = few.get()}) == expected);
    }
    // The copy goes through pinned buffers. The caller fills them, and may fail.
    std::size_t copied_bytes = 0;
    CHECK(scores_of({.copy = [&](std::uint8_t* to, std::span<const std::uint8_t> from) -> Status {
              std::ranges::copy(from, to);
              copied_bytes += from.size();
              return {};
          }}) == expected);
    CHECK(copied_bytes == tiles.size() * tile_word_count * sizeof(std::uint32_t));
    const auto not_copied = (*gpu)->upload(
        tiles, nullptr, {.copy = [](std::uint8_t*, std::span<const std::uint8_t>) { return Status::io("copy"); }});
    REQUIRE_FALSE(not_copied.ok());
    CHECK(not_copied.status().message() == "copy");
    // The host's work during the copy may fail.
    const auto failed = (*gpu)->upload(tiles, nullptr, {.meanwhile = [] { return Status::io("meanwhile"); }});
    REQUIRE_FALSE(failed.ok());
    CHECK(failed.status().message() == "meanwhile");
    munmap(memory, kRangeBytes);
}
