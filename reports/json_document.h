// Writes the common parts of a database search's JSON: an object for the run, with its queries in
// an array.
#pragma once

#include <functional>
#include <string_view>

#include "engines/targets/database_facts.h"
#include "formats/io/json_writer.h"

namespace warpseq {

/// Writes the program, its parameters and the databases, a line each, up to the beginning of the
/// queries. `program` is its name without "warpseq", such as "search sw". `parameters` writes the
/// members of the parameters.
void begin_json_document(JsonWriter& json, std::string_view program, const DatabaseFacts& databases,
                         const std::function<void()>& parameters);
/// Ends the document.
void end_json_document(JsonWriter& json);

}  // namespace warpseq
