// The extension module warpseq._core. The package's own files (bindings/python/warpseq) make the
// interface that users see.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "bindings/python/src/arguments.h"
#include "bindings/python/src/bindings.h"
#include "bindings/python/src/gil_release.h"
#include "bindings/python/src/output.h"
#include "bindings/python/src/search_input.h"
#include "libcore/base/version.h"

// Sub-interpreters cannot share the types of the module, so the function that Python calls refuses
// them before the module's own one.
NB_MODULE(core_of_one_interpreter, module) {
    using namespace warpseq::python;
    // The package prints nothing, also about objects that outlive the interpreter.
    nanobind::set_leak_warnings(false);
    module.attr("version") = std::string(warpseq::program_version());
    bind_exceptions(module);
    bind_gil_release(module);
    bind_session(module);
    bind_output(module);
    bind_search_input(module);
    bind_database(module);
    bind_convert(module);
    bind_profiles(module);
    bind_inspect(module);
    bind_hmm_hits(module);
    bind_sequence_hits(module);
    bind_pair_alignments(module);
    bind_scores(module);
}

extern "C" NB_EXPORT PyObject* PyInit__core() {
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) == 0) return PyInit_core_of_one_interpreter();
    PyErr_SetString(PyExc_ImportError, "warpseq cannot be used in a sub-interpreter; use processes or threads");
    return nullptr;
}
