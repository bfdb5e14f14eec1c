// The options of HMMER 3.3.2's programs that search sequences with `search hmm`, and the other
// differences between these programs.
#pragma once

#include <array>
#include <string_view>

#include "apps/dropin/hmmer_program.h"

namespace warpseq {

/// A program of HMMER that searches with `search hmm`.
struct HmmerSearchProgram {
    HmmerProgram program;
    std::string_view query_argument;  // name of the argument for queries, such as "<hmmfile>"
    bool takes_profiles;              // whether queries are profiles; otherwise they are sequences
    /// Labels in the lines at the top of a report. The first is about the option that saves an
    /// alignment (-A). The others are about --qformat and --tformat.
    std::string_view alignment_label, query_format_label, target_format_label;
    std::array<HmmerOutput, 5> outputs;  // in the order in which they are opened
};

extern const HmmerSearchProgram kHmmsearch, kPhmmer;

}  // namespace warpseq
