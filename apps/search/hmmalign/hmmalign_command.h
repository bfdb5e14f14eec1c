// `search hmmalign`: aligns sequences to one profile.
#pragma once

#include "apps/search/driver/division.h"
#include "formats/alignments/alignment_reader.h"
#include "libcore/base/status.h"
#include "options/hmmalign/hmmalign_options.h"

namespace warpseq {

/// Aligns the sequences and writes the alignment. Errors that HMMER reports, too, have HMMER's
/// words. `mapped` is a reader of options.mapped_alignment. After an error the caller can ask it
/// for the fault in the file. If it is nullptr, the function makes a reader of its own.
Status run_hmmalign(const HmmalignOptions& options, AlignmentReader* mapped = nullptr);
/// Runs the command. A division is a usage error, because the command is not divided.
Status run_hmmalign_command(const OptionValues& values, Division* division);

}  // namespace warpseq
