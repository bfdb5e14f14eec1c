// Text of files as Python's str.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

namespace warpseq::python {

/// Returns a text of a file, which should be UTF-8. Bytes that are not become lone surrogates, as
/// in Python's names of files. So the text can be turned back into the same bytes.
inline nanobind::object text_of_file(std::string_view text) {
    PyObject* const decoded =
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
    if (decoded == nullptr) throw nanobind::python_error();
    return nanobind::steal(decoded);
}

}  // namespace warpseq::python
