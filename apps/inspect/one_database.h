// A set as one database, for commands that look at all of it.
#pragma once

#include <filesystem>
#include <string>

#include "formats/wsdb/wsdb_reader.h"
#include "libcore/base/status.h"
#include "options/inspect/inspect_options.h"

namespace warpseq {

/// The database; of a set the one of its sequences, made without a name in the folder for temporary
/// files where the set has several volumes or removed sequences. `program` begins what is said
/// meanwhile.
Result<WsdbReader> open_as_one(const std::filesystem::path& file, const InspectArguments& arguments,
                               const std::string& program);

}  // namespace warpseq
