// Tables of results for other programs: dictionaries of columns, and Arrow's C stream interface
// (https://arrow.apache.org/docs/format/CStreamInterface.html), by which pyarrow, pandas, polars
// and others take a table without a copy per value.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace warpseq::python {

/// A column. All columns of a table have as many values. Empty texts stand for values that are
/// missing.
struct Column {
    std::string name;
    std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>, std::vector<bool>> values;
};
using Table = std::vector<Column>;

/// Returns the table as a dictionary of lists, with None for a missing text.
nanobind::dict as_dict(const Table& table);
/// Returns a capsule "arrow_array_stream" with the table as one batch.
nanobind::capsule as_arrow_stream(Table table);

}  // namespace warpseq::python
