// The command `search hmmalign`: sequences aligned to one profile.
#pragma once

#include "apps/search/driver/division.h"
#include "formats/alignments/alignment_reader.h"
#include "libcore/base/status.h"
#include "options/hmmalign/hmmalign_options.h"

namespace warpseq {

/// The work. Messages are HMMER's where it has the same. `mapped` reads options.mapped_alignment,
/// so that the caller can tell its faults; without it the command has a reader of its own.
Status run_hmmalign(const HmmalignOptions& options, AlignmentReader* mapped = nullptr);
/// The command. It is not divided: `division` has to be none.
Status run_hmmalign_command(const OptionValues& values, Division* division);

}  // namespace warpseq
