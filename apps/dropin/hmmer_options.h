// The options of HMMER 3.3.2's programs that search sequences with `search hmm`, and what else
// these differ in.
#pragma once

#include <string_view>

#include "apps/dropin/hmmer_program.h"

namespace warpseq {

struct HmmerSearchProgram {
    HmmerProgram program;
    std::string_view query_argument;
    bool takes_profiles;  // as queries; else sequences
    /// What a report calls its options for an alignment, and for the formats that files are said to
    /// have.
    std::string_view alignment_label, query_format_label, target_format_label;
};

extern const HmmerSearchProgram kHmmsearch, kPhmmer;

}  // namespace warpseq
