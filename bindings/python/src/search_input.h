// The arguments of a search from Python: its queries, and the values of its options.
#pragma once

#include <nanobind/nanobind.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bindings/python/src/session.h"
#include "bindings/searches/query_text.h"
#include "options/option_set.h"
#include "options/option_values.h"

namespace warpseq::python {

/// The queries of a search as Python gives them: a file, or text and what to call it.
struct GivenQueries {
    std::optional<std::filesystem::path> file;
    std::optional<nb::bytes> text;
    std::string name;

    QueryText as_text() const;
};

/// Returns the values of a search's options, with its queries and databases, and with the
/// restriction of the session. `may_state_report` is that of values_of(). Throws for options that
/// `set` does not have.
OptionValues search_values(const OptionSet& set, const nb::dict& options, const QueryText& queries,
                           const std::vector<std::filesystem::path>& databases, const SessionTargets& targets = {},
                           bool may_state_report = false);

void bind_search_input(nb::module_& module);

}  // namespace warpseq::python
