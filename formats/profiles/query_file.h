// Opens a query file that holds either profiles or sequences. The beginning of the file decides
// which, so that standard input can be either, too.
#pragma once

#include <filesystem>
#include <variant>

#include "formats/profiles/hmm_file.h"
#include "formats/sequences/sequence_file.h"
#include "libcore/base/status.h"

namespace warpseq {

/// A reader of a query file of either kind.
using QueryFileReader = std::variant<HmmFileReader, SequenceFileReader>;

/// Opens `file`, which may be compressed, and chooses the reader by its first bytes
/// (begins_like_profiles()), unless `format` is asserted. "-" is standard input. A file that begins
/// with a comment may also be an alignment. It is then opened once more to decide. A file that does
/// not begin like profiles is read as sequences, in `format`.
Result<QueryFileReader> open_query_file(const std::filesystem::path& file, const SequenceFileFormat& format = {});

}  // namespace warpseq
