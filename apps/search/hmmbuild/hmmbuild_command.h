// `search hmmbuild`: profiles of alignments.
#pragma once

#include <functional>
#include <string>

#include "apps/search/driver/division.h"
#include "formats/alignments/alignment_reader.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "options/hmmbuild/hmmbuild_options.h"

namespace warpseq {

/// argv[0] is "hmmbuild". Prints, or returns an error that is not printed yet. Not done in parts.
Status run_hmmbuild_command(const OptionValues& values, Division* division = nullptr);

/// The work that options have been read for, and its outputs. `reader` has been made of their file,
/// and tells more of an error in it. What follows a summary is added by `end_of_summary`.
Status run_hmmbuild(const HmmbuildOptions& options, AlignmentReader& reader, Observer& observer,
                    const std::function<std::string()>& end_of_summary = {});

}  // namespace warpseq
