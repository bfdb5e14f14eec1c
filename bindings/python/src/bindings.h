// The parts of the extension module. Each function defines the classes and functions of one file.
#pragma once

#include <nanobind/nanobind.h>

namespace warpseq::python {

void bind_session(nanobind::module_& module);
void bind_database(nanobind::module_& module);
void bind_convert(nanobind::module_& module);
void bind_profiles(nanobind::module_& module);
void bind_inspect(nanobind::module_& module);
void bind_hmm_hits(nanobind::module_& module);
void bind_sequence_hits(nanobind::module_& module);
void bind_pair_alignments(nanobind::module_& module);
void bind_scores(nanobind::module_& module);

}  // namespace warpseq::python
