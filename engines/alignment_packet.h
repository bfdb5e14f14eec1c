// Alignments in packets (formats/io/packet.h), and a check of alignments that were read from a
// packet.
#pragma once

#include <cstdint>
#include <span>

#include "libcore/scoring/alignment.h"
#include "libcore/sequence/alphabet.h"
#include "libcore/statistics/composition_adjustment.h"

namespace warpseq {

constexpr AlignmentOperation last_value(AlignmentOperation) { return AlignmentOperation::kDelete; }
constexpr CompositionAdjuster::Rule last_value(CompositionAdjuster::Rule) {
    return CompositionAdjuster::Rule::kOptimized;
}

template <typename Packet>
void describe(Packet& packet, AlignmentRun& run) {
    packet(run.operation, run.length);
}
template <typename Packet>
void describe(Packet& packet, Alignment& alignment) {
    packet(alignment.score_raw, alignment.query_begin, alignment.query_end, alignment.target_begin,
           alignment.target_end, alignment.runs);
}

/// Whether an alignment is consistent. It has to lie within sequences of these lengths. Its runs
/// have to cover exactly the residues between its ends, and `aligned_target` has to have as many
/// residues as the aligned part of the target. An empty alignment is consistent.
bool can_be(const Alignment& alignment, std::uint64_t query_residues, std::uint64_t target_residues,
            std::span<const ResidueCode> aligned_target);

}  // namespace warpseq
