// Opens a set as one database, for commands that look at the whole of it.
#pragma once

#include <filesystem>
#include <string>

#include "formats/wsdb/wsdb_reader.h"
#include "libcore/base/status.h"
#include "options/inspect/inspect_options.h"

namespace warpseq {

/// Opens a database, or a set as one database. A set with several volumes or removed sequences is
/// converted to a database in an unnamed file in the folder for temporary files. Messages that are
/// printed meanwhile begin with `program`.
Result<WsdbReader> open_as_one(const std::filesystem::path& file, const InspectArguments& arguments,
                               const std::string& program);

}  // namespace warpseq
