#include "reports/table_comments.h"

#include "libcore/base/version.h"

namespace warpseq {

void append_query_comments(std::string_view program, std::string_view query_header, std::string_view database_names,
                           const FieldTable& table, std::size_t rows, std::string& out) {
    out += "# warpseq " + std::string(program) + " " + std::string(program_version()) + "\n";
    out += "# Query: " + std::string(query_header) + "\n";
    out += "# Database: " + std::string(database_names) + "\n";
    if (rows > 0) table.append_titles(out);
    out += "# " + std::to_string(rows) + " hits found\n";
}

void append_end_comment(std::uint64_t queries, std::string& out) {
    out += "# warpseq processed " + std::to_string(queries) + " queries\n";
}

}  // namespace warpseq
