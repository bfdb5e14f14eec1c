// `search hmm`: searches with the profile HMM engine.
#pragma once

#include <string_view>

#include "apps/search/driver/division.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "options/hmm/hmm_options.h"

namespace warpseq {

/// HMMER's message about a second query for targets that come from standard input.
inline constexpr std::string_view kNotRewindable =
    "Target sequence file - isn't rewindable; can't search it with multiple queries";

/// Searches and writes the report. An error is returned, not printed. `division` is this process's
/// share of the search. If it is nullptr, the options say what the share is (make_division()).
Status run_hmm_command(const OptionValues& values, Division* division = nullptr);

/// Does the same with options that have been read. Progress and notes go to `observer`.
Status run_hmm_search(HmmOptions options, Observer& observer, Division* division = nullptr);

}  // namespace warpseq
