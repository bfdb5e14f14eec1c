#include "bindings/python/src/session.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/vector.h>

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "bindings/python/src/bindings.h"
#include "bindings/python/src/database.h"

namespace warpseq::python {

namespace {

/// The process that has started CUDA, or 0. CUDA is of a process, and a forked one cannot use it.
std::atomic<pid_t> cuda_process = 0;

/// Returns a session that only this process frees. A forked one lacks the threads that would be
/// waited for.
std::shared_ptr<const Session> shared(std::unique_ptr<Session> session, pid_t process) {
    return {session.release(), [process](const Session* each) {
                if (process == getpid()) delete each;
            }};
}

/// Refuses a device that this process cannot use.
Status check_device(const DeviceRequest& device) {
    const pid_t process = cuda_process;
    if (process == 0 || process == getpid() || device.kind == DeviceRequest::Kind::kCpu) return {};
    return Status::unavailable(
        "the process that this one was forked from has used a GPU, so this one can use none; start processes by "
        "\"spawn\" or \"forkserver\" (multiprocessing.set_start_method), or open the session with device=\"cpu\"");
}

}  // namespace

void check_process(pid_t opener) {
    if (opener != getpid())
        raise(Status::usage("the session was opened before this process was forked; open one in each process"));
}

const PySession& opened(const PySession& session) {
    if (session.session == nullptr) raise(Status::usage("the session is closed"));
    check_process(session.process);
    return session;
}

void bind_session(nb::module_& module) {
    nb::class_<PySession>(module, "Session")
        .def(
            "__init__",
            [](PySession* self, const std::vector<std::filesystem::path>& databases,
               const std::vector<std::filesystem::path>& names, const nb::dict& machine, const PyDatabase* database) {
                PySession made{std::make_shared<NoteCollector>(), nullptr, getpid(), {}};
                const std::vector<NamedValue> values = named_values(machine);
                TargetOpener open_converted;
                if (database != nullptr)
                    open_converted = [database](const std::filesystem::path& file) {
                        return database->sequences->open_converted(file);
                    };
                auto opened = run_stoppable([&] {
                    return open_session(databases, names, values, check_device, *made.notes, made.targets,
                                        open_converted);
                });
                made.notes->issue();
                made.session = shared(value_of(std::move(opened)), made.process);
                if (database != nullptr && !database->sequences->are_those_of(made.session->databases()))
                    raise(
                        Status::io("a file of the database was replaced or updated after it was opened; open the "
                                   "Database again"));
                if (!made.session->gpus().empty()) cuda_process = made.process;
                new (self) PySession(std::move(made));
            },
            nb::arg("databases"), nb::arg("names"), nb::arg("machine"), nb::arg("database") = nb::none())
        .def("check_process", [](const PySession& self) { check_process(self.process); })
        .def("close", [](PySession& self) { self.session.reset(); })
        .def_prop_ro("sequences",
                     [](const PySession& self) { return opened(self).session->databases().sequence_count(); })
        .def_prop_ro("residues",
                     [](const PySession& self) { return opened(self).session->databases().residue_count(); })
        .def_prop_ro("gpus", [](const PySession& self) { return opened(self).session->gpus(); })
        .def_prop_ro("threads", [](const PySession& self) { return opened(self).session->settings().threads; })
        .def_prop_ro("files", [](const PySession& self) { return opened(self).session->settings().database_files; });
}

}  // namespace warpseq::python
