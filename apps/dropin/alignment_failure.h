// What HMMER's programs say, and return, where an alignment cannot be read.
#pragma once

#include <optional>
#include <string>

#include "apps/dropin/hmmer_program.h"
#include "formats/alignments/alignment_reader.h"

namespace warpseq {

/// Nothing where the reader has met no fault, or one that HMMER has no words for.
std::optional<HmmerFailure> alignment_failure(const AlignmentReader& reader, const std::string& file);

/// The letters are too few, or too odd, to tell what they are.
HmmerFailure unknown_letters(const AlignmentReader& reader, const std::string& file);

}  // namespace warpseq
