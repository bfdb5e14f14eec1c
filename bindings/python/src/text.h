// Text of files as Python's str, and back.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
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

/// Returns the bytes of a path, which is str, bytes or os.PathLike. Throws TypeError for others,
/// and ValueError for a path with a NUL character.
inline std::string path_of(nanobind::handle file) {
    PyObject* converted = nullptr;
    if (PyUnicode_FSConverter(file.ptr(), &converted) == 0) throw nanobind::python_error();
    const auto bytes = nanobind::steal<nanobind::bytes>(converted);
    return {bytes.c_str(), bytes.size()};
}

/// Returns the bytes of such a text. Throws UnicodeEncodeError for other surrogates.
inline std::string bytes_of_text(nanobind::handle text) {
    const nanobind::object encoded = nanobind::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
    if (!encoded.is_valid()) throw nanobind::python_error();
    const auto bytes = nanobind::cast<nanobind::bytes>(encoded);
    return {bytes.c_str(), bytes.size()};
}

}  // namespace warpseq::python
