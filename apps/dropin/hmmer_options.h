// The options of HMMER 3.3.2's search programs.
#pragma once

#include <span>
#include <string_view>

#include "apps/dropin/easel_options.h"

namespace warpseq {

struct HmmerProgram {
    std::string_view name, banner;
    std::string_view usage;        // behind the name
    std::string_view brief_title;  // of the help's first lines, below a usage error
    std::string_view query_argument;
    bool takes_profiles;  // as queries; else sequences
    /// What a report calls its options for an alignment, and for the formats that files are said to have.
    std::string_view alignment_label, query_format_label, target_format_label;
    std::span<const EaselGroup> groups;  // of the help; the first is shown below a usage error, too
};

extern const HmmerProgram kHmmsearch, kPhmmer;

}  // namespace warpseq
