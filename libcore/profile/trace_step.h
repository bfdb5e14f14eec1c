// A path of a sequence through the nodes of a profile, step by step.
#pragma once

#include <cstdint>

namespace warpseq {

enum class TraceState : std::uint8_t { kMatch, kInsert, kDelete };

/// One step of an alignment of a sequence, or of a domain of it, to the model.
struct TraceStep {
    TraceState state;
    std::int32_t node;     // 1..M; 0 for an insert before node 1
    std::int64_t residue;  // from 1 within the sequence; for a delete, the residue before it
    float posterior;       // probability of the step; 0 for a delete
    bool operator==(const TraceStep&) const = default;
};

}  // namespace warpseq
