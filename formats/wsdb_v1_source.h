// The sequences of a database of format version 1 as input of a conversion.
#pragma once

#include <memory>

#include "formats/record_source.h"
#include "formats/wsdb_v1_file.h"

namespace warpseq {

/// Reads all of it by one thread, whatever is wanted of it: damage anywhere is an error. Who takes all of it makes the database that its own
/// sources would make: they are the origins.
std::unique_ptr<RecordSource> make_wsdb_v1_source(std::shared_ptr<const WsdbV1File> file, const RecordReading& reading);

}  // namespace warpseq
