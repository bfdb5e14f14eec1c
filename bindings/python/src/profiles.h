// Profiles and alignments as Python's classes hold them.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "bindings/searches/profile_tools.h"
#include "libcore/sequence/multiple_alignment.h"

namespace warpseq::python {

struct PyProfile {
    SharedProfile hmm;
};
struct PyMultipleAlignment {
    std::shared_ptr<const MultipleAlignment> alignment;
};

/// Return objects of the package's classes Profile and MultipleAlignment.
nanobind::object profile_object(SharedProfile hmm);
nanobind::object alignment_object(MultipleAlignment alignment);

}  // namespace warpseq::python
