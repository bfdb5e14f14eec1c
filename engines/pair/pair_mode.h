// Names of the modes of a pair's alignment, and strands.
#pragma once

#include <string_view>

namespace warpseq {

enum class PairMode { kGlobal, kLocal, kSemiGlobal };

/// The strand of a nucleotide query to align: the query as it is, its reverse complement, or the
/// better one of both.
enum class PairStrand { kPlus, kMinus, kBoth };

/// Returns "global", "local" or "semi-global".
constexpr std::string_view pair_mode_name(PairMode mode) {
    return mode == PairMode::kGlobal ? "global" : mode == PairMode::kLocal ? "local" : "semi-global";
}

}  // namespace warpseq
