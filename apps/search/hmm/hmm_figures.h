// The figures of --stats and the warnings that commands of profile searches share.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "apps/search/driver/statistics.h"
#include "engines/hmm/hmm_engine.h"
#include "options/hmm/hmm_options.h"

namespace warpseq {

/// Returns a warning if Forward scores left the range of floats, or an empty text if none did.
std::string range_warning(const HmmTimes& times);

/// The figures of --stats for a profile search.
struct HmmFigures {
    const HmmOptions& options;
    std::size_t gpus = 0;
    HmmTimes times;
    std::optional<HmmGpuCounts> gpu_counts = {};
    double seconds_to_open = 0, query_seconds = 0, report_seconds = 0, seconds_in_all = 0;
};
/// Prints the lines of --stats from the line about the device on.
void print_hmm_figures(const StatisticsPrinter& out, const HmmFigures& f);

}  // namespace warpseq
