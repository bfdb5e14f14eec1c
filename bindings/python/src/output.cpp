#include "bindings/python/src/output.h"

#include <nanobind/stl/string.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "bindings/python/src/arguments.h"
#include "bindings/python/src/text.h"

namespace warpseq::python {
namespace {

constexpr std::size_t kHeldBytes = std::size_t{1} << 20;

}  // namespace

Output::Output(const nb::object& file) {
    if (nb::hasattr(file, "write")) {
        object_ = file;
        return;
    }
    path_ = path_of(file);
    text_.emplace(value_of(run_stoppable([&] { return ReportText::open(path_, kHeldBytes); })));
}

void Output::write(std::string_view bytes) {
    if (!text_) {
        write_to_object(bytes);
        return;
    }
    text_->text() += bytes;
    if (text_->text().size() >= kHeldBytes) check(run_stoppable([&] { return text_->spill(); }));
}

/// Writes to the object. It may take a part of the bytes at a time, as raw files do.
void Output::write_to_object(std::string_view bytes) {
    while (!bytes.empty()) {
        const nb::object write = object_.attr("write");
        const nb::bytes text(bytes.data(), bytes.size());
        const nb::object taken = call_with(write, text);
        const bool is_count = nb::isinstance<nb::int_>(taken) && !nb::isinstance<nb::bool_>(taken);
        if (!is_count) return;  // such objects take everything
        std::int64_t count = 0;
        if (!nb::try_cast(taken, count) || count <= 0 || count > std::ssize(bytes))
            raise(Status::io("the output took " + nb::cast<std::string>(nb::str(taken)) + " of " +
                             std::to_string(bytes.size()) + " bytes"));
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
}

void Output::finish() {
    if (text_) check(run_stoppable([&] { return text_->finish(); }));
}

void bind_output(nb::module_& module) {
    nb::class_<Output>(module, "Output", "A path, where a file appears at finish(), or a binary file object.")
        .def(nb::init<const nb::object&>(), nb::arg("file"))
        .def("write",
             [](Output& out, const nb::bytes& bytes) {
                 out.write({bytes.c_str(), bytes.size()});
             })
        .def("finish", &Output::finish)
        .def("close", &Output::close)
        .def_prop_ro(
            "path", [](const Output& out) { return text_of_file(out.path()); },
            nb::for_getter(nb::sig("def path(self) -> str")));
}

}  // namespace warpseq::python
