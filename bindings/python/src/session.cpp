#include "bindings/python/src/session.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>

#include "bindings/python/src/bindings.h"

namespace warpseq::python {

const PySession& opened(const PySession& session) {
    if (session.session == nullptr) raise(Status::usage("the session is closed"));
    return session;
}

void bind_session(nb::module_& module) {
    nb::class_<PySession>(module, "Session")
        .def(
            "__init__",
            [](PySession* self, const std::vector<std::filesystem::path>& databases, const nb::dict& machine) {
                PySession made{std::make_shared<NoteCollector>(), nullptr};
                const std::vector<NamedValue> values = named_values(machine);
                auto opened = run_stoppable([&] { return open_session(databases, values, *made.notes); }, [] {});
                made.notes->issue();
                made.session = value_of(std::move(opened));
                new (self) PySession(std::move(made));
            },
            nb::arg("databases"), nb::arg("machine"))
        .def("close", [](PySession& self) { self.session.reset(); })
        .def_prop_ro("sequences", [](const PySession& self) { return opened(self).session->databases().sequence_count(); })
        .def_prop_ro("residues", [](const PySession& self) { return opened(self).session->databases().residue_count(); })
        .def_prop_ro("gpus", [](const PySession& self) { return opened(self).session->gpus(); })
        .def_prop_ro("threads", [](const PySession& self) { return opened(self).session->settings().threads; })
        .def_prop_ro("files", [](const PySession& self) { return opened(self).session->settings().database_files; });
}

}  // namespace warpseq::python
