// `search hmmbuild`: builds profiles from alignments.
#pragma once

#include <functional>
#include <string>

#include "apps/search/driver/division.h"
#include "formats/alignments/alignment_reader.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "options/hmmbuild/hmmbuild_options.h"

namespace warpseq {

/// Builds the profiles and writes the outputs. An error is returned, not printed. A division is a
/// usage error, because the command is not divided.
Status run_hmmbuild_command(const OptionValues& values, Division* division = nullptr);

/// Does the same with options that have been read. `reader` is a reader of options.alignment_file.
/// After an error the caller can ask it for the fault in the file. The text that `end_of_summary`
/// returns follows the summary. Progress goes to `observer`.
Status run_hmmbuild(const HmmbuildOptions& options, AlignmentReader& reader, Observer& observer,
                    const std::function<std::string()>& end_of_summary = {});

}  // namespace warpseq
