// The output of `inspect stats` that needs more than a database's index: letters, low complexity,
// and identical sequences.
#pragma once

#include <string>

#include "formats/io/json_writer.h"
#include "formats/wsdb/wsdb_content_figures.h"
#include "formats/wsdb/wsdb_reader.h"
#include "libcore/base/status.h"
#include "options/inspect/inspect_options.h"

namespace warpseq {

/// Reads the database for the figures that the arguments ask for, if any.
Result<WsdbContentFigures> read_content_figures(const WsdbReader& reader, const InspectArguments& arguments);

/// Returns the parts of the text that the arguments ask for. Lines have at most 80 columns, apart
/// from identifiers. A header that cannot be read is an error.
Result<std::string> content_text(const WsdbReader& reader, const InspectArguments& arguments,
                                 const WsdbContentFigures& figures);
/// Writes the same figures as members of the JSON object that is open.
Status write_content_json(const WsdbReader& reader, const InspectArguments& arguments,
                          const WsdbContentFigures& figures, JsonWriter& json);

}  // namespace warpseq
