// The comments of --outfmt 7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "reports/fields.h"

namespace warpseq {

/// Before a query's rows: program, query, databases, columns, how many rows follow.
void append_query_comments(std::string_view engine, std::string_view query_header, std::string_view database_names,
                           const FieldTable& table, std::size_t rows, std::string& out);
/// The last line.
void append_end_comment(std::uint64_t queries, std::string& out);

}  // namespace warpseq
