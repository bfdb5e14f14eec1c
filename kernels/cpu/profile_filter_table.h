// The vector kernels of the profile filters of one instruction set as a table of functions: what a run-time choice of back
// end chooses. How they work stands in kernels/cpu/profile_filter_kernels.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu_backend.h"
#include "libcore/alphabet.h"

namespace warpseq {

/// A profile's rows of 8-bit match scores or costs, wrapped around: entry j of a row is for node j mod (M + 1) + 1, which
/// for j mod (M + 1) = M is the wall: nothing passes it.
struct DiagonalRows {
    const std::uint8_t* bytes;  // a row per residue code, kResidueTableSize of them; row_bytes of period + vectors + a word
    std::size_t row_bytes;
    std::size_t period;  // a multiple of M + 1, at least kResiduesPerWord
};

/// One target as words of a tile. Words are read to their end: padding has no effect.
struct TargetWords {
    const std::uint32_t* words;
    std::size_t stride;  // from a word of the target to its next one
    std::size_t count;
};

/// The full recurrence of kernels/msv_filter.h for one target.
struct MultihitTask {
    DiagonalRows costs;
    std::size_t vectors;  // that hold M + 1 diagonals
    TargetWords target;
    int bias, end, base, to_match;  // to_match: move + enter, at most 255
    std::byte* diagonals;           // scratch: 2 vectors per vector of diagonals, 64-byte aligned
};

/// The recurrence of kernels/viterbi_filter.h for one target. Arrays over nodes are striped: lane l of segment s is node
/// l * segments + s + 1.
struct ViterbiTask {
    const std::int16_t* match;              // [code][segment][lane], kResidueTableSize rows
    const std::int16_t* transitions;        // [segment][enter, m-m, i-m, d-m, m-d, m-i, i-i][lane]
    const std::int16_t* delete_delete;      // [segment][lane]
    std::size_t segments;
    const ResidueCode* target;  // unaligned
    std::size_t target_residues;
    int base, move, end;  // E -> C and E -> J cost the same
    int delete_bound;     // D -> D cannot matter in a row whose xE + delete_bound <= xB
    std::int16_t* states;  // scratch: 3 vectors per segment, 64-byte aligned
};
inline constexpr std::size_t kStripedTransitions = 7;

/// The same for a group of targets, one per lane, longest first. Arrays over nodes are in the order of nodes.
struct InterleavedViterbiTask {
    const std::int16_t* match;        // [node][code], kResidueTableSize codes, 64-byte aligned
    const std::int32_t* transitions;  // [node][as in ViterbiTask, then delete_delete], each twice in its 32 bits
    std::size_t nodes;
    const std::uint8_t* columns;         // [residue][lane], padded by any code that is in the tables
    const std::uint32_t* residues;       // per target: its residues, >= 1
    const std::int16_t* moves;           // per target; of lanes without a target anything
    std::size_t targets;                 // 1 .. lanes
    int base, end;
    std::int16_t* states;   // scratch: 3 vectors per node, 64-byte aligned
    std::int16_t* results;  // out: per target
};
inline constexpr std::size_t kInterleavedTransitions = kStripedTransitions + 1;

struct ProfileFilterTable {
    CpuBackend backend;
    std::size_t vector_bytes;  // lanes of 8 bits; half of that for 16
    std::size_t most_band_vectors;

    /// For each number of vectors, 1 .. most_band_vectors: the greatest score of as many vectors of diagonals, starting
    /// `first_diagonal` from the first, in lanes that count from -128.
    std::int8_t (*const* single_hit_bands)(const DiagonalRows& scores, std::size_t first_diagonal,
                                           const TargetWords& target);
    std::int16_t (*multihit)(const MultihitTask& task);
    std::int16_t (*viterbi)(const ViterbiTask& task);
    void (*interleaved_viterbi)(const InterleavedViterbiTask& task);  // nullptr where it never pays
};

/// The table of a back end that this processor runs; nullptr for kReference.
const ProfileFilterTable* profile_filter_table(CpuBackend backend);

// One per file profile_filter_table_<instruction set>.cpp.
extern const ProfileFilterTable kPortableProfileFilters;
extern const ProfileFilterTable kSse41ProfileFilters;
extern const ProfileFilterTable kAvx2ProfileFilters;
extern const ProfileFilterTable kAvx512ProfileFilters;

}  // namespace warpseq
