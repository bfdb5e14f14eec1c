// What is aligned of a pair.
#pragma once

#include <string_view>

namespace warpseq {

enum class PairMode { kGlobal, kLocal, kSemiGlobal };

/// Of nucleotides: the query as it is, its reverse complement, or the better one.
enum class PairStrand { kPlus, kMinus, kBoth };

/// "global", "local", "semi-global".
constexpr std::string_view pair_mode_name(PairMode mode) {
    return mode == PairMode::kGlobal ? "global" : mode == PairMode::kLocal ? "local" : "semi-global";
}

}  // namespace warpseq
