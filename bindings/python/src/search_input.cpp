#include "bindings/python/src/search_input.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings/python/src/arguments.h"

namespace warpseq::python {

QueryText GivenQueries::as_text() const {
    return text ? value_of(QueryText::of_text({text->c_str(), text->size()}, name)) : QueryText::of_file(*file);
}

OptionValues search_values(const OptionSet& set, const nb::dict& options, const QueryText& queries,
                           const std::vector<std::filesystem::path>& databases, const SessionTargets& targets,
                           bool may_state_report) {
    OptionValues values = value_of(values_of(set, named_values(options), may_state_report));
    check(values.set("query", queries.file().string()));
    for (const auto& database : databases) check(values.set("db", database.string()));
    for (const auto& [option, value] : targets.options) check(values.set(option, value));
    return values;
}

void bind_search_input(nb::module_& module) {
    nb::class_<GivenQueries>(module, "Queries", "The queries of a search: a file, or text and a name for it.")
        .def(nb::init<std::optional<std::filesystem::path>, std::optional<nb::bytes>, std::string>(),
             nb::arg("file").none(), nb::arg("text").none(), nb::arg("name"));
}

}  // namespace warpseq::python
