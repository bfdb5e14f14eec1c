// Letters of Python's texts.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

namespace warpseq::python {

/// Returns the letters of a str or of bytes, without a copy. They are valid as long as the object
/// lives. Throws TypeError for another object, and UnicodeEncodeError for a str that cannot be
/// encoded.
std::string_view letters_of(nanobind::handle text);

}  // namespace warpseq::python
