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
/// Returns a dictionary with a value of each column's type, for tables without rows.
nanobind::dict examples_of(const Table& table);
/// Returns a capsule "arrow_array_stream" with the table as one batch.
nanobind::capsule as_arrow_stream(Table table);

/// Calls a function of the package's module warpseq._tables with an object.
nanobind::object call_tables(const char* function, const nanobind::object& argument);

/// Defines what results with a table have: columns(), to_pandas(), to_arrow(), Arrow's stream, and
/// the table in notebooks. `rows` says what the table has a row for.
template <typename Class, typename TableOf>
void bind_table(Class& bound, const char* rows, TableOf table_of) {
    namespace nb = nanobind;
    using Hits = typename Class::Type;
    const std::string doc = std::string("Returns a dict of columns, with a row for each ") + rows + ".";
    bound
        .def(
            "columns", [table_of](const Hits& hits) { return as_dict(table_of(hits)); }, doc.c_str())
        .def("_examples", [table_of](const Hits& hits) { return examples_of(table_of(hits)); })
        .def(
            "__arrow_c_stream__",
            [table_of](const Hits& hits, const nb::object&) { return as_arrow_stream(table_of(hits)); },
            nb::arg("requested_schema").none() = nb::none())
        .def(
            "to_pandas", [](const nb::object& hits) { return call_tables("to_pandas", hits); },
            "Returns the columns as a pandas.DataFrame.")
        .def(
            "to_arrow", [](const nb::object& hits) { return call_tables("to_arrow", hits); },
            "Returns the columns as a pyarrow.Table.")
        .def("_repr_html_", [](const nb::object& hits) { return call_tables("as_html", hits); });
}

}  // namespace warpseq::python
