// Modes of the alignment of a pair.
#pragma once

#include <string_view>

namespace warpseq {

enum class PairMode { kGlobal, kLocal, kSemiGlobal };

/// The strand of a nucleotide query that is aligned: the query as it is, its reverse complement, or
/// the better one.
enum class PairStrand { kPlus, kMinus, kBoth };

/// Returns "global", "local" or "semi-global".
constexpr std::string_view pair_mode_name(PairMode mode) {
    return mode == PairMode::kGlobal ? "global" : mode == PairMode::kLocal ? "local" : "semi-global";
}

}  // namespace warpseq
