// What `inspect stats` says when it is asked for more than a database's index tells: letters, low
// complexity, identical sequences.
#pragma once

#include <string>

#include "formats/io/json_writer.h"
#include "formats/wsdb/wsdb_content_figures.h"
#include "formats/wsdb/wsdb_reader.h"
#include "libcore/base/status.h"
#include "options/inspect/inspect_options.h"

namespace warpseq {

/// Reads the database for what the arguments ask for, if anything.
Result<WsdbContentFigures> read_content_figures(const WsdbReader& reader, const InspectArguments& arguments);

/// The parts that were asked for, at most 80 columns wide but for identifiers. An error where a
/// header cannot be read.
Result<std::string> content_text(const WsdbReader& reader, const InspectArguments& arguments,
                                 const WsdbContentFigures& figures);
/// As members of the object that is open.
Status write_content_json(const WsdbReader& reader, const InspectArguments& arguments,
                          const WsdbContentFigures& figures, JsonWriter& json);

}  // namespace warpseq
