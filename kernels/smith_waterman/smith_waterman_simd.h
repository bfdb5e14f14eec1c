// The vector kernels behind the CPU back ends of kernels/smith_waterman/smith_waterman.h, and the
// scorer around them.
//
// There are two shapes of kernel, each in several lane widths, all exact within their width.
//  - The interleaved kernel takes one sequence per lane of a vector, straight from interleaved
//    tiles (8 and 16 bits).
//  - The striped kernel takes one sequence, with the query striped over the lanes (Farrar 2007). It
//    is for sequences too long to share a tile, and for single sequences whose narrower score
//    saturated (8, 16 and 32 bits).
// kernels/smith_waterman/smith_waterman_kernels_simd.h says how they work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>

#include "kernels/smith_waterman/smith_waterman.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

struct KernelTable;

/// The arguments of the interleaved kernel: a group of sequences against one query. All pointers
/// are aligned to 64 bytes unless a comment says otherwise.
struct InterleavedTask {
    const std::uint8_t* query_letters;  // per query residue its index in `letters`; unaligned
    std::size_t query_residues;         // >= 1
    const ResidueCode* letters;         // the distinct residue codes of the query; unaligned
    std::size_t letter_count;           // 1 .. 27
    const SubstitutionMatrix::Table* matrix;
    const std::uint8_t* columns;  // residue codes: lane l of column j is columns[j * column_stride + l]; unaligned
    std::size_t column_stride;
    std::size_t column_count;  // a multiple of KernelTable::column_block; kPaddingCode behind a sequence's end
    std::int32_t gap_first, gap_extend;  // at most the highest value of a lane
    std::int32_t limit_raw;              // a lane above it is saturated
    std::uint32_t stop_saturated_lanes;  // the kernel gives up soon after this many lanes are saturated
    std::byte* borders;                  // scratch: 2 vectors per query residue
    std::byte* scores;                   // scratch: kLetterScoresBytes
    const std::stop_token* stop;         // checked for every block of columns
    std::int32_t* best_raw;              // out: one per lane of the width; valid where it is <= limit_raw
};

/// The arguments of the striped kernel: one sequence against one query, whose profile is laid out
/// for the kernel's lane width.
struct StripedTask {
    const std::int8_t* profile;     // a row per residue code: byte s * lanes + l is for query row l * segments + s
    std::size_t profile_row_bytes;  // from one row to the next
    std::size_t segments;           // ceil(query residues / lanes), >= 1
    const ResidueCode* target;      // unaligned
    std::size_t target_residues;
    std::int32_t gap_first, gap_extend;  // at most the highest value of a lane
    std::int32_t limit_raw;              // above it the score is saturated
    const std::stop_token* stop;         // checked now and then
    std::byte* columns;                  // scratch: 3 vectors per segment, 64-byte aligned
};

/// Size of InterleavedTask::scores in bytes. It suffices for every lane width and instruction set.
inline constexpr std::size_t kLetterScoresBytes = std::size_t{kResidueCodes} * 16 * 64;

/// Returns the scorer of every back end but the reference.
std::unique_ptr<SmithWatermanScorer> make_simd_smith_waterman_scorer(
    const KernelTable& kernels, std::span<const std::span<const ResidueCode>> queries, const ScoringScheme& scheme);

}  // namespace warpseq
