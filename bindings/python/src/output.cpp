#include "bindings/python/src/output.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include <filesystem>

#include "bindings/python/src/arguments.h"

namespace warpseq::python {

Output::Output(const nb::object& file) {
    if (nb::hasattr(file, "write")) {
        object_ = file;
        return;
    }
    const auto path = nb::cast<std::filesystem::path>(file);
    path_ = path.string();
    constexpr std::size_t kHeldBytes = std::size_t{1} << 20;
    text_.emplace(value_of(ReportText::open(path, kHeldBytes)));
}

void Output::write(std::string_view bytes) {
    if (!text_) {
        object_.attr("write")(nb::bytes(bytes.data(), bytes.size()));
        return;
    }
    text_->text() += bytes;
    check(text_->spill());
}

void Output::finish() {
    if (text_) check(text_->finish());
}

void bind_output(nb::module_& module) {
    nb::class_<Output>(module, "Output", "A path, where a file appears at finish(), or a binary file object.")
        .def(nb::init<const nb::object&>(), nb::arg("file"))
        .def("write",
             [](Output& out, const nb::bytes& bytes) {
                 out.write({bytes.c_str(), bytes.size()});
             })
        .def("finish", &Output::finish)
        .def_prop_ro("path", &Output::path);
}

}  // namespace warpseq::python
