// What the JSON of searches of databases has in common: one object for the run, its queries in an
// array.
#pragma once

#include <functional>
#include <string_view>

#include "engines/targets/database_set.h"
#include "formats/io/json_writer.h"

namespace warpseq {

/// Program, parameters and databases, each in its line, up to the begin of the queries.
/// `parameters` writes members.
void begin_json_document(JsonWriter& json, std::string_view engine, const DatabaseSet& databases,
                         const std::function<void()>& parameters);
/// Ends what that has begun.
void end_json_document(JsonWriter& json);

}  // namespace warpseq
