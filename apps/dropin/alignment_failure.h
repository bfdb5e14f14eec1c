// The messages and exit statuses with which HMMER's programs report an alignment that cannot be
// read.
#pragma once

#include <optional>
#include <string>

#include "apps/dropin/hmmer_program.h"
#include "formats/alignments/alignment_reader.h"

namespace warpseq {

/// Returns the failure for the fault that the reader has met. Returns nothing if there is no fault,
/// or if HMMER has no message for it.
std::optional<HmmerFailure> alignment_failure(const AlignmentReader& reader, const std::string& file);

/// Returns the failure for an alignment whose letters are too few or too unusual to tell its
/// alphabet.
HmmerFailure unknown_letters(const AlignmentReader& reader, const std::string& file);

}  // namespace warpseq
