// What commands of profile searches have in common behind their options: how an engine and queries
// are set, and what --stats prints.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "apps/search/driver/statistics.h"
#include "engines/hmm/hmm_engine.h"
#include "engines/hmm/hmm_query_reader.h"
#include "options/hmm/hmm_options.h"

namespace warpseq {

HmmSettings engine_settings_of(const HmmOptions& options);
/// For profiles, or sequences that they are made of, in `file`.
HmmQuerySettings query_settings_of(const HmmOptions& options, const std::filesystem::path& file);

/// A sentence on what no numbers could be had of; empty: nothing.
std::string range_warning(const HmmTimes& times);

struct HmmFigures {
    const HmmOptions& options;
    std::size_t gpus = 0;
    HmmTimes times;
    std::optional<HmmGpuCounts> gpu_counts = {};
    double seconds_to_open = 0, query_seconds = 0, report_seconds = 0, seconds_in_all = 0;
};
/// From the line about the device on.
void print_hmm_figures(const StatisticsPrinter& out, const HmmFigures& f);

}  // namespace warpseq
