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
/// mod (M + 1) + 1, or for the wall behind node M if j mod (M + 1) = M. The wall resets every
/// diagonal.
struct DiagonalRows {
    const std::uint8_t* bytes;  // a row per residue code, kResidueTableSize of them
    std::size_t row_bytes;      // diagonal_row_bytes() of them
    std::size_t period;         // a multiple of M + 1, at least kResiduesPerWord
};

/// Returns the bytes of a row for a model of few vectors, or 0 for more vectors. The number of
/// bytes is a power of two and a constant of the kernel for that many vectors. Such a kernel has so
/// few operations per residue that computing a row's address otherwise would take as long as these.
constexpr std::size_t fixed_row_bytes(std::size_t vectors, std::size_t vector_bytes) {
    constexpr std::size_t kMost = 1024;
    const std::size_t row_bytes = std::bit_ceil(2 * vectors * vector_bytes + kResiduesPerWord);
    return row_bytes <= kMost ? row_bytes : 0;
}

/// Returns the bytes of a row. A row is so long that a vector can be loaded from any entry of a
/// period and of the word behind it.
constexpr std::size_t diagonal_row_bytes(std::size_t vectors, std::size_t vector_bytes) {
    if (const std::size_t row_bytes = fixed_row_bytes(vectors, vector_bytes)) return row_bytes;
    // The row has an odd number of cache lines, so that rows do not compete for the same places in
    // the cache.
    constexpr std::size_t kLineBytes = 64;
    return ((2 * vectors * vector_bytes + kResiduesPerWord + kLineBytes - 1) / kLineBytes | 1) * kLineBytes;
}

/// One target as words of a tile. Kernels read words with their padding, which has no effect.
struct TargetWords {
    const std::uint32_t* words;
    std::size_t stride;  // from a word of the target to its next one
    std::size_t count;
};

/// The arguments of SSV for as many targets as a vector has 8-bit lanes.
struct InterleavedSsvTask {
    const std::int8_t* scores;    // kResidueTableSize scores per node; the score of padding resets a lane
    std::size_t nodes;            // a multiple of kInterleavedNodes; the nodes behind the last one score -127
    const std::uint8_t* columns;  // residue codes [residue][lane], 64-byte aligned, kPaddingCode after a target's end
    std::size_t column_count;
    std::byte* border;            // scratch: a vector per column, 64-byte aligned
    std::int8_t* best;            // out: per lane, 64-byte aligned
    const std::stop_token* stop;  // checked for every block of nodes
};
inline constexpr std::size_t kInterleavedNodes = 8;

/// The arguments of the full MSV recurrence of kernels/profile/msv_filter.h for one target.
struct MsvTask {
    DiagonalRows costs;
    std::size_t vectors;  // vectors that hold M + 1 diagonals
    TargetWords target;
    int bias, end, base, to_match;  // to_match: move + enter, at most 255
    std::byte* diagonals;           // scratch: 2 vectors per vector of diagonals, 64-byte aligned
    const std::stop_token* stop;    // checked now and then
};

/// The arguments of the recurrence of kernels/profile/viterbi_filter.h for one target. Arrays over
/// nodes are striped: lane l of segment s is node l * segments + s + 1.
struct ViterbiTask {
    const std::int16_t* match;          // [code][segment][lane], kResidueTableSize rows
    const std::int16_t* transitions;    // [segment][enter, m-m, i-m, d-m, m-d, m-i, i-i][lane]
    const std::int16_t* delete_delete;  // [segment][lane]
    std::size_t segments;
    const ResidueCode* target;  // unaligned
    std::size_t target_residues;
    int base, move, end;          // E -> C and E -> J cost the same
    int delete_bound;             // D -> D does not matter in a row whose greatest D + delete_bound <= xB
    std::int16_t* states;         // scratch: 3 vectors per segment, 64-byte aligned
    const std::stop_token* stop;  // checked now and then
};
inline constexpr std::size_t kStripedTransitions = 7;

/// The arguments of the same recurrence for a group of targets, one per lane, longest first. Arrays
/// over nodes are in the order of nodes. Insert and delete states are stored with the transition to
/// M of the next node already added (profile_filter_kernels_simd.h explains why). So six
/// transitions remain: enter, m-m, m-d plus the next d-m, m-i plus i-m, i-i, and d-d plus the next
/// d-m less the one that was added.
struct InterleavedViterbiTask {
    const std::int16_t* match;        // per node a table of kResidueTableSize scores, made by fill_score_table
    const std::int32_t* transitions;  // [node][these six], each twice in 32 bits
    std::size_t nodes;
    const std::uint8_t* columns;    // [residue][lane], padded by any code that is in the tables
    const std::uint32_t* residues;  // number of residues of each target, >= 1
    const std::int16_t* moves;      // per target; any value for lanes without a target
    std::size_t targets;            // 1 .. lanes
    int base, end;
    std::int16_t* states;         // scratch: 3 vectors per node, 64-byte aligned
    std::int16_t* results;        // out: per target; undefined after a stop
    const std::stop_token* stop;  // checked now and then
};
inline constexpr std::size_t kInterleavedTransitions = 6;
/// Least value of transitions and `move` for which the interleaved kernel is exact.
inline constexpr int kLeastInterleavedTransition = -10000;

using SsvBand = std::int8_t (*)(const DiagonalRows& scores, std::size_t first_diagonal, const TargetWords& target);

struct ProfileFilterTable {
    CpuBackend backend;
    std::size_t vector_bytes;  // also the number of 8-bit lanes; half as many have 16 bits
    std::size_t most_band_vectors;

    /// Kernels for bands of 1 .. most_band_vectors vectors. Each returns the greatest score on the
    /// diagonals of its band, which starts at diagonal `first_diagonal`. Scores count from -128.
    SsvBand const* ssv_bands;
    /// The same for models whose diagonals are a single band. Rows have fixed_row_bytes() bytes if
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
