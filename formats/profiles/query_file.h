// A query file of either kind: profiles or sequences, told apart by how it begins, so that standard
// input can be either too.
#pragma once

#include <filesystem>
#include <variant>

#include "formats/alignments/sequence_file.h"
#include "formats/profiles/hmm_file.h"
#include "libcore/base/status.h"

namespace warpseq {

using QueryFileReader = std::variant<HmmFileReader, SequenceFileReader>;

/// Opens `file` ("-" is standard input; it may be compressed) once and looks at its first bytes
/// (begins_like_profiles()). What begins with a comment is looked at once more: it may be an
/// alignment, too. Everything that does not begin like profiles is read as sequences, in `format`.
Result<QueryFileReader> open_query_file(const std::filesystem::path& file, const QuerySequenceFormat& format = {});

}  // namespace warpseq
