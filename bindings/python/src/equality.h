// Equality of results. Each access makes another Python object for the same hit, so objects are
// compared by the results that they stand for.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>

namespace warpseq::python {

/// Defines __eq__ and __hash__ of a class by a key, a tuple of a pointer and numbers that tells
/// apart all results of this class while they live.
template <typename Class, typename Key>
void bind_equality(Class& bound, Key key) {
    namespace nb = nanobind;
    using T = typename Class::Type;
    bound
        .def(
            "__eq__",
            [key](const T& self, nb::handle other) {
                return nb::isinstance<T>(other) && key(self) == key(nb::cast<const T&>(other));
            },
            nb::arg("other").none(), nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__", [key](const T& self) {
            return std::apply(
                [](const void* of, auto... numbers) {
                    std::size_t hash = std::hash<const void*>()(of);
                    ((hash = hash * 31 + static_cast<std::size_t>(numbers)), ...);
                    return static_cast<std::int64_t>(hash >> 1);
                },
                key(self));
        });
}

}  // namespace warpseq::python
