// `search hmmalign`: aligns sequences to one profile.
#pragma once

#include "apps/search/driver/division.h"
#include "formats/alignments/alignment_reader.h"
#include "libcore/base/status.h"
#include "options/hmmalign/hmmalign_options.h"

namespace warpseq {

/// Aligns the sequences. Messages are HMMER's if it has the same. `mapped` reads
/// options.mapped_alignment, so that the caller can report its errors; without it the function
/// makes a reader of its own.
Status run_hmmalign(const HmmalignOptions& options, AlignmentReader* mapped = nullptr);
/// Runs the command. It is not divided, so `division` has to be nullptr.
Status run_hmmalign_command(const OptionValues& values, Division* division);

}  // namespace warpseq
