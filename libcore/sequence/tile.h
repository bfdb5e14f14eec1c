// The tile: the unit of sequences that a database file holds and a kernel reads. Its layout is the
// same on the CPU and on the GPU.
//
// A word is 32 bits, little-endian, and holds six residue codes of 5 bits. The first residue stands
// in the lowest bits, and the two highest bits are 0:
//
//     bit 31 30 | 29..25  24..20  19..15  14..10   9..5    4..0
//          0  0 | res 5   res 4   res 3   res 2   res 1   res 0
//
// An interleaved tile holds up to 32 sequences of like length, one per lane. Word row w holds word
// w of each lane. So the 32 threads of a warp read word w of their 32 sequences in one 128-byte
// line:
//
//     word row 0:  lane 0 word 0 | lane 1 word 0 | ... | lane 31 word 0      128 bytes
//     word row 1:  lane 0 word 1 | lane 1 word 1 | ... | lane 31 word 1      128 bytes
//     ...          word_rows = the longest lane's residues / 6, rounded up
//
// The rest of a lane after its last residue is filled with kPaddingCode, as is every word of a lane
// without a sequence. Lanes are in the database's order, so lane 0 is the longest.
//
// A linear tile holds one sequence that is too long to share a tile without waste. Its words follow
// one another, with padding words up to a multiple of 32 words (128 bytes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "libcore/sequence/alphabet.h"

namespace warpseq {

inline constexpr std::uint32_t kTileLanes = 32;
inline constexpr std::uint32_t kBitsPerResidue = 5;
inline constexpr std::uint32_t kResiduesPerWord = 6;
inline constexpr std::size_t kTileAlignmentBytes = 128;
inline constexpr std::uint32_t kResidueMask = (1u << kBitsPerResidue) - 1;
inline constexpr std::uint32_t kPaddingWord = 0x3fffffffu;

static_assert(kTileLanes * sizeof(std::uint32_t) == kTileAlignmentBytes, "a word row is one aligned line");
static_assert(kResiduesPerWord * kBitsPerResidue <= 32, "six residues fit a word");
static_assert(kPaddingCode == kResidueMask, "a word of padding has all residue bits set");
static_assert(kPaddingWord == (1u << (kResiduesPerWord * kBitsPerResidue)) - 1);

enum class TileLayout : std::uint32_t { kInterleaved = 0, kLinear = 1 };

/// A tile in memory that the view does not own. Lanes are sequences first_sequence ..
/// first_sequence + lanes() - 1 in the database's order (rank: longest first).
struct TileView {
    std::span<const std::uint32_t> words;  // 128-byte aligned; word_rows * 32 (interleaved), rounded up to 32 (linear)
    std::span<const std::uint64_t> lengths_residues;  // one per real lane, 1 .. 32 of them, descending; may be 0
    std::uint64_t word_rows = 0;                      // words of the longest lane
    std::uint64_t first_sequence = 0;                 // rank of lane 0
    TileLayout layout = TileLayout::kInterleaved;

    std::uint32_t lanes() const { return static_cast<std::uint32_t>(lengths_residues.size()); }
    std::uint64_t longest_residues() const { return lengths_residues.front(); }
    std::size_t word_stride() const { return layout == TileLayout::kInterleaved ? kTileLanes : 1; }
};

/// Returns the residues of all lanes of all tiles.
inline std::uint64_t residues_of(std::span<const TileView> tiles) {
    std::uint64_t residues = 0;
    for (const TileView& tile : tiles) {
        for (const std::uint64_t length : tile.lengths_residues) residues += length;
    }
    return residues;
}

/// Returns the number of words that hold `residues` residues of one lane.
constexpr std::uint64_t words_for(std::uint64_t residues) {
    return (residues + kResiduesPerWord - 1) / kResiduesPerWord;
}

/// Returns the number of words of a tile whose longest lane has `longest_residues` residues.
constexpr std::uint64_t tile_words(TileLayout layout, std::uint64_t longest_residues) {
    const std::uint64_t rows = words_for(longest_residues);
    return layout == TileLayout::kInterleaved ? rows * kTileLanes : (rows + kTileLanes - 1) / kTileLanes * kTileLanes;
}

/// Returns the residue code at position `index` (0..5) of a word.
constexpr ResidueCode residue_of_word(std::uint32_t word, std::uint32_t index) {
    return static_cast<ResidueCode>(word >> (kBitsPerResidue * index) & kResidueMask);
}

/// Packs one lane's residue codes into words lane, lane + stride, ... of `words`. The last word is
/// filled up with padding, and the words after it up to `word_rows` are padding. An interleaved
/// tile has lane 0..31 and stride 32. A linear one has lane 0 and stride 1.
void pack_lane(std::span<const ResidueCode> residues, std::uint32_t* words, std::uint64_t word_rows, std::size_t lane,
               std::size_t stride);

/// Writes the residues of one lane to `residues`, which has room for lengths_residues[lane] codes.
/// A code that is no letter, in a damaged tile, becomes X.
void unpack_lane(const TileView& tile, std::uint32_t lane, ResidueCode* residues);

/// Whether a tile holds only what a writer may write: letters in every lane up to its length,
/// padding everywhere else, and unused bits of 0. Reads each word once.
bool is_sound(const TileView& tile);

}  // namespace warpseq
