#include "bindings/python/src/sequences.h"

namespace warpseq::python {

std::string_view letters_of(nanobind::handle text) {
    if (PyUnicode_Check(text.ptr())) {
        Py_ssize_t size = 0;
        const char* const letters = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
        if (letters == nullptr) throw nanobind::python_error();
        return {letters, static_cast<std::size_t>(size)};
    }
    char* letters = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(text.ptr(), &letters, &size) != 0) throw nanobind::python_error();
    return {letters, static_cast<std::size_t>(size)};
}

}  // namespace warpseq::python
