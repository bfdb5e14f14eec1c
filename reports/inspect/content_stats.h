// The figures of a database that need more than its index: letters, low complexity, and identical
// sequences.
#pragma once

#include <string>

#include "formats/io/json_writer.h"
#include "formats/wsdb/wsdb_content_figures.h"
#include "formats/wsdb/wsdb_reader.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Returns the parts of the text that were chosen. Lines have at most 80 columns, apart from
/// identifiers. A header that cannot be read is an error.
Result<std::string> content_text(const WsdbReader& reader, const WsdbContentFiguresOptions& chosen,
                                 const WsdbContentFigures& figures);
/// Writes the same figures as members of the JSON object that is open.
Status write_content_json(const WsdbReader& reader, const WsdbContentFiguresOptions& chosen,
                          const WsdbContentFigures& figures, JsonWriter& json);

}  // namespace warpseq
