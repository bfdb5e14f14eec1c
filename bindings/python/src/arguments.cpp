#include "bindings/python/src/arguments.h"

#include <nanobind/stl/string.h>

#include <string_view>

#include "bindings/python/src/text.h"

namespace warpseq::python {
namespace {

struct Exceptions {
    PyObject *error, *invalid_input, *io, *unavailable, *usage, *warning;
};
Exceptions exceptions;

PyObject* add_exception(nb::module_& module, const char* name, const char* doc, nb::handle bases) {
    const std::string full_name = nb::cast<std::string>(module.attr("__name__")) + "." + name;
    PyObject* const made = PyErr_NewExceptionWithDoc(full_name.c_str(), doc, bases.ptr(), nullptr);
    if (made == nullptr) throw nb::python_error();
    module.attr(name) = nb::handle(made);
    return made;
}

/// Returns a value as the text of the option with this name.
std::string text_of(const std::string& name, nb::handle value) {
    if (value.is_none()) throw nb::type_error(("option '" + name + "': None is no value of a list").c_str());
    if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value) ? "true" : "false";
    nb::object given = nb::borrow(value);
    if (nb::hasattr(value, "__fspath__")) given = nb::steal(call_python([&] { return PyOS_FSPath(value.ptr()); }));
    if (!given.is_valid()) throw nb::python_error();
    std::string text;
    if (nb::isinstance<nb::bytes>(given)) {
        const auto bytes = nb::cast<nb::bytes>(given);
        text.assign(bytes.c_str(), bytes.size());
    } else {
        const nb::object written = nb::steal(call_python([&] { return PyObject_Str(given.ptr()); }));
        if (!written.is_valid()) throw nb::python_error();
        text = bytes_of_text(written);
    }
    if (text.find('\0') != std::string::npos)
        raise(Status::usage("option '" + name + "': a value cannot have a NUL character"));
    return text;
}

/// Returns the stack level of a warning (warnings.warn()) about the innermost line of Python that
/// is not one of this package.
Py_ssize_t level_of_caller() {
    Py_ssize_t level = 1;
    for (nb::object frame = nb::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
         frame.is_valid() && !frame.is_none(); frame = frame.attr("f_back")) {
        const nb::object name = frame.attr("f_globals").attr("get")("__name__");
        if (!nb::isinstance<nb::str>(name) || !(bytes_of_text(nb::str(name)) + ".").starts_with("warpseq.")) break;
        ++level;
    }
    return level;
}

/// Issues a warning about the line of Python at this stack level.
void warn(const std::string& text, Py_ssize_t level) {
    const nb::object shown = text_of_file(text);
    if (call_python([&] { return PyErr_WarnFormat(exceptions.warning, level, "%U", shown.ptr()); }) != 0)
        throw nb::python_error();
}

}  // namespace

void bind_exceptions(nb::module_& module) {
    const auto two = [](PyObject* first, PyObject* second) {
        return nb::make_tuple(nb::handle(first), nb::handle(second));
    };
    exceptions.error = add_exception(module, "WarpseqError", "An error of warpseq. Its text is the programs' message.",
                                     PyExc_Exception);
    exceptions.invalid_input = add_exception(module, "InvalidInputError", "A file or a sequence is not valid.",
                                             two(exceptions.error, PyExc_ValueError));
    exceptions.io = add_exception(module, "FileError", "The system refused to open, read or write a file.",
                                  two(exceptions.error, PyExc_OSError));
    exceptions.unavailable = add_exception(
        module, "UnavailableError", "This machine or this build does not have what was asked for, such as a GPU.",
        two(exceptions.error, PyExc_RuntimeError));
    exceptions.usage = add_exception(module, "OptionError", "An option or an argument is wrong.",
                                     two(exceptions.error, PyExc_ValueError));
    exceptions.warning =
        add_exception(module, "WarpseqWarning", "A note about an input or a result.", PyExc_UserWarning);
    module.def(
        "warn", [](const std::string& text) { warn(text, level_of_caller()); }, nb::arg("text"));
}

void raise(const Status& status) {
    PyObject* type = exceptions.error;
    switch (status.code()) {
        case StatusCode::kOk: break;
        case StatusCode::kInvalidInput: type = exceptions.invalid_input; break;
        case StatusCode::kIo: type = exceptions.io; break;
        case StatusCode::kUnavailable: type = exceptions.unavailable; break;
        case StatusCode::kOutOfMemory: type = PyExc_MemoryError; break;
        case StatusCode::kUsage: type = exceptions.usage; break;
        case StatusCode::kInterrupted: type = PyExc_KeyboardInterrupt; break;
    }
    PyErr_SetObject(type, text_of_file(status.message()).ptr());
    throw nb::python_error();
}

std::vector<NamedValue> named_values(const nb::dict& options) {
    std::vector<NamedValue> values;
    for (const auto& [key, value] : options) {
        const std::string name = bytes_of_text(nb::str(key));
        const bool is_list = nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value);
        if (value.is_none() || value.is(Py_False) || (is_list && nb::len(value) == 0)) {
            values.push_back({.name = name, .is_given = false});
        } else if (value.is(Py_True)) {
            values.push_back({.name = name});
        } else if (is_list) {
            for (const nb::handle each : nb::borrow<nb::object>(value))
                values.push_back({.name = name, .text = text_of(name, each)});
        } else {
            values.push_back({.name = name, .text = text_of(name, value)});
        }
    }
    return values;
}

void NoteCollector::note(const std::string& text) {
    constexpr std::string_view kMark = "warning: ";  // of the programs; a warning of Python needs none
    const std::lock_guard lock(mutex_);
    notes_.push_back(text.starts_with(kMark) ? text.substr(kMark.size()) : text);
}

void NoteCollector::issue() {
    std::vector<std::string> notes;
    {
        const std::lock_guard lock(mutex_);
        notes.swap(notes_);
    }
    if (notes.empty()) return;
    const Py_ssize_t level = level_of_caller();
    for (const std::string& note : notes) warn(note, level);
}

}  // namespace warpseq::python
