// Writes the comments of --outfmt 7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "reports/fields.h"

namespace warpseq {

/// Appends the comments before a query's rows: the program, the query, the databases, the columns,
/// and the number of rows. `program` is its name without "warpseq", such as "search sw".
void append_query_comments(std::string_view program, std::string_view query_header, std::string_view database_names,
                           const FieldTable& table, std::size_t rows, std::string& out);
/// Appends the table's last line, which says how many queries were processed.
void append_end_comment(std::uint64_t queries, std::string& out);

}  // namespace warpseq
