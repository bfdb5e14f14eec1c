// The outputs that HMMER's programs leave after an error in the middle of a search: what they have
// written until then, without the last lines.
#pragma once

#include <optional>
#include <string_view>

#include "libcore/base/status.h"
#include "libcore/profile/profile_hmm.h"
#include "options/hmm/hmm_options.h"

namespace warpseq {

/// Whether the error is about the content of a file of sequences. HMMER's programs open all files
/// and begin their report before they find it.
bool is_parse_failure(const Status& error);

/// Writes the outputs of a search whose targets could not be read: the report up to the first
/// query, and empty files. `behind_query` follows the lines about the query. Returns the query, or
/// nothing if no query has residues. If the query cannot be read, the result is the error about it,
/// which HMMER finds first.
Result<std::optional<ProfileHmm>> leave_beginning(const HmmOptions& options, std::string_view behind_query);

}  // namespace warpseq
