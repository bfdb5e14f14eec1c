// The description of a database or a set by its header, its section table, its provenance and its
// history, as `inspect info` prints it.
#pragma once

#include <filesystem>
#include <string>

#include "libcore/base/status.h"

namespace warpseq {

/// Returns the description as text in lines, or as a JSON object. Reads no sequences. Returns an
/// error if the file is no database or has changed while it was read.
Result<std::string> database_info(const std::filesystem::path& file, bool as_json);

}  // namespace warpseq
