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

/// Builds the profiles and writes the outputs. An error is returned, not printed. The command is
/// not done in parts, so `division` has to be nullptr.
Status run_hmmbuild_command(const OptionValues& values, Division* division = nullptr);

/// Builds profiles with options that have been read, and writes the outputs. `reader` reads the
/// options' file of alignments, and tells more about an error in it. The text of `end_of_summary`
/// follows the summary.
Status run_hmmbuild(const HmmbuildOptions& options, AlignmentReader& reader, Observer& observer,
                    const std::function<std::string()>& end_of_summary = {});

}  // namespace warpseq
