// The vector kernels of the profile filters of one instruction set, as a table of functions. A back
// end is chosen at run time by its table. kernels/profile/profile_filter_kernels_simd.h explains
// the kernels.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <stop_token>

#include "kernels/backend.h"
#include "libcore/sequence/alphabet.h"
#include "libcore/sequence/tile.h"

namespace warpseq {

/// A profile's rows of 8-bit match scores or costs, wrapped around. Entry j of a row is for node j
/// mod (M + 1) + 1. If j mod (M + 1) = M, it is for the wall, which nothing passes.
struct DiagonalRows {
    const std::uint8_t* bytes;  // a row per residue code, kResidueTableSize of them
    std::size_t row_bytes;      // diagonal_row_bytes() of them
    std::size_t period;         // a multiple of M + 1, at least kResiduesPerWord
};

/// Returns the bytes of a row for a model of few vectors, or 0 for more vectors. The bytes are a
/// power of two and a constant of the kernel for that many vectors. With so few operations a
/// residue, finding the row would otherwise take as long.
constexpr std::size_t fixed_row_bytes(std::size_t vectors, std::size_t vector_bytes) {
    constexpr std::size_t kMost = 1024;
    const std::size_t row_bytes = std::bit_ceil(2 * vectors * vector_bytes + kResiduesPerWord);
    return row_bytes <= kMost ? row_bytes : 0;
}

/// Returns the bytes of a row, so that a vector can start anywhere in a period and within the word
/// after it.
constexpr std::size_t diagonal_row_bytes(std::size_t vectors, std::size_t vector_bytes) {
    if (const std::size_t row_bytes = fixed_row_bytes(vectors, vector_bytes)) return row_bytes;
    // The row has an odd number of cache lines, so that rows do not compete for the same places in
    // the cache.
    constexpr std::size_t kLineBytes = 64;
    return ((2 * vectors * vector_bytes + kResiduesPerWord + kLineBytes - 1) / kLineBytes | 1) * kLineBytes;
}

/// One target as words of a tile. Words are read to their end, since padding has no effect.
struct TargetWords {
    const std::uint32_t* words;
    std::size_t stride;  // from a word of the target to its next one
    std::size_t count;
};

/// SSV for as many targets as a vector has 8-bit lanes.
struct InterleavedSsvTask {
    const std::int8_t* scores;    // per node kResidueTableSize scores; padding resets a lane
    std::size_t nodes;            // a multiple of kInterleavedNodes: nodes that score -127 follow the last
    const std::uint8_t* columns;  // residue codes [residue][lane], 64-byte aligned, kPaddingCode after a target's end
    std::size_t column_count;
    std::byte* border;            // scratch: a vector per column, 64-byte aligned
    std::int8_t* best;            // out: per lane, 64-byte aligned
    const std::stop_token* stop;  // checked for every block of nodes
};
inline constexpr std::size_t kInterleavedNodes = 8;

/// The full MSV recurrence of kernels/profile/msv_filter.h for one target.
struct MsvTask {
    DiagonalRows costs;
    std::size_t vectors;  // vectors that hold M + 1 diagonals
    TargetWords target;
    int bias, end, base, to_match;  // to_match: move + enter, at most 255
    std::byte* diagonals;           // scratch: 2 vectors per vector of diagonals, 64-byte aligned
    const std::stop_token* stop;    // checked now and then
};

/// The recurrence of kernels/profile/viterbi_filter.h for one target. Arrays over nodes are
/// striped, so lane l of segment s is node l * segments + s + 1.
struct ViterbiTask {
    const std::int16_t* match;          // [code][segment][lane], kResidueTableSize rows
    const std::int16_t* transitions;    // [segment][enter, m-m, i-m, d-m, m-d, m-i, i-i][lane]
    const std::int16_t* delete_delete;  // [segment][lane]
    std::size_t segments;
    const ResidueCode* target;  // unaligned
    std::size_t target_residues;
    int base, move, end;          // E -> C and E -> J cost the same
    int delete_bound;             // D -> D cannot matter in a row whose greatest D + delete_bound <= xB
    std::int16_t* states;         // scratch: 3 vectors per segment, 64-byte aligned
    const std::stop_token* stop;  // checked now and then
};
inline constexpr std::size_t kStripedTransitions = 7;

/// The same recurrence for a group of targets, one per lane, longest first. Arrays over nodes are
/// in the order of nodes. Insert and delete states are kept with the cost of leaving for M already
/// taken (profile_filter_kernels_simd.h explains why). So six transitions remain: enter, m-m, m-d
/// and m-i with the cost that follows, i-i, and d-d with the cost that follows less the cost
/// already taken.
struct InterleavedViterbiTask {
    const std::int16_t* match;        // per node a table of kResidueTableSize scores, made by fill_score_table
    const std::int32_t* transitions;  // [node][those six], each twice in its 32 bits
    std::size_t nodes;
    const std::uint8_t* columns;    // [residue][lane], padded by any code that is in the tables
    const std::uint32_t* residues;  // per target: its residues, >= 1
    const std::int16_t* moves;      // per target; any value for lanes without a target
    std::size_t targets;            // 1 .. lanes
    int base, end;
    std::int16_t* states;         // scratch: 3 vectors per node, 64-byte aligned
    std::int16_t* results;        // out: per target; unless stopped
    const std::stop_token* stop;  // checked now and then
};
inline constexpr std::size_t kInterleavedTransitions = 6;
/// The least value that every transition and `move` must have.
inline constexpr int kLeastInterleavedTransition = -10000;

using SsvBand = std::int8_t (*)(const DiagonalRows& scores, std::size_t first_diagonal, const TargetWords& target);

struct ProfileFilterTable {
    CpuBackend backend;
    std::size_t vector_bytes;  // lanes of 8 bits; half of that for 16
    std::size_t most_band_vectors;

    /// Kernels for each number of vectors, 1 .. most_band_vectors. Each returns the greatest score
    /// of that many vectors of diagonals, starting `first_diagonal` from the first, in lanes that
    /// count from -128.
    SsvBand const* ssv_bands;
    /// The same for a model of that many vectors in all. Its rows have fixed_row_bytes() bytes if
    /// that is not 0.
    SsvBand const* ssv_whole;
    void (*interleaved_ssv)(const InterleavedSsvTask& task);  // nullptr if it is not worthwhile
    std::int16_t (*msv)(const MsvTask& task);
    std::int16_t (*viterbi)(const ViterbiTask& task);
    // Interleaved Viterbi; both are nullptr if it is never worthwhile.
    void (*interleaved_viterbi)(const InterleavedViterbiTask& task);
    void (*fill_score_table)(const std::int16_t* scores, std::int16_t* table);  // 64-byte aligned
    std::uint64_t interleaved_node_cost;  // in vector operations, per node and row
};

}  // namespace warpseq
