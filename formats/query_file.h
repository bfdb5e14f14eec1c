// A query file of either kind: profiles or sequences, told apart by how it begins, so that standard input can be either too.
#pragma once

#include <filesystem>
#include <variant>

#include "formats/fasta.h"
#include "formats/hmm_file.h"
#include "libcore/base/status.h"

namespace warpseq {

using QueryFileReader = std::variant<HmmFileReader, FastaReader>;

/// Opens `file` ("-" is standard input; it may be compressed) once and looks at its first bytes (begins_like_profiles()).
/// Everything that does not begin like profiles is a FastaReader's, whose messages then say what is wrong with it.
Result<QueryFileReader> open_query_file(const std::filesystem::path& file, FastaOptions fasta_options = {});

}  // namespace warpseq
