// A result of the pair search, as it is reported: a pair and an alignment of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engines/pair/pair_input.h"
#include "libcore/scoring/alignment.h"

namespace warpseq {

struct PairResult {
    std::size_t query = 0, target = 0;  // indices into the PairInput
    bool minus = false;                 // whether the query's reverse complement was aligned; positions are on it
    std::vector<ResidueCode> reversed;  // that reverse complement
    Alignment alignment;
    std::uint64_t number = 1, of = 1;  // place in the pair's list of alignments, from 1, and the length of the list

    bool has_alignment() const { return !alignment.runs.empty(); }
    /// Returns the query as it was aligned.
    std::span<const ResidueCode> aligned_query(const PairInput& input) const {
        return minus ? std::span<const ResidueCode>(reversed) : input.queries[query].residues;
    }
    /// Returns the target's residues from target_begin to target_end.
    std::span<const ResidueCode> aligned_target(const PairInput& input) const {
        return std::span<const ResidueCode>(input.targets[target].residues)
            .subspan(alignment.target_begin, alignment.target_end - alignment.target_begin);
    }
};

}  // namespace warpseq
