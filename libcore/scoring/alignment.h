// A pairwise alignment: its place in both sequences, and the path between them as runs of
// operations.
#pragma once

#include <cstdint>
#include <vector>

namespace warpseq {

enum class AlignmentOperation : std::uint8_t {
    kMatch,   // a query residue aligned with a target residue, identical or not
    kInsert,  // a query residue aligned with a gap in the target
    kDelete,  // a target residue aligned with a gap in the query
};

struct AlignmentRun {
    AlignmentOperation operation;
    std::uint64_t length;  // > 0
    bool operator==(const AlignmentRun&) const = default;
};

/// An alignment of a query and a target. Positions count residues from 0, and ranges are half open.
/// An empty alignment has score 0 and no runs.
struct Alignment {
    std::int64_t score_raw = 0;
    std::uint64_t query_begin = 0, query_end = 0;
    std::uint64_t target_begin = 0, target_end = 0;
    std::vector<AlignmentRun> runs;  // from begin to end; neighbours differ in operation
    bool operator==(const Alignment&) const = default;
};

}  // namespace warpseq
