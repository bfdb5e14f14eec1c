// The output of --stats: a line for each figure, on standard error.
#pragma once

#include <cstdint>
#include <string>

#include "engines/devices/gpu_jobs.h"
#include "options/search/common_options.h"

namespace warpseq {

/// A printer of lines "LABEL      VALUE", in which all values begin in the same column.
class StatisticsPrinter {
   public:
    /// Makes a printer whose values begin in column `value_column`, counted from 0.
    explicit StatisticsPrinter(int value_column) : value_column_(value_column) {}
    void line(const char* label, const std::string& value) const;

   private:
    int value_column_;
};

/// Returns a number with three decimals, such as "1.234", for seconds and percentages.
std::string three_decimals(double value);
/// Returns the time and the speed at which `cells` were computed in it, as "1.234 (56.789 GCUPS)".
std::string seconds_and_rate(double seconds, std::uint64_t cells);

/// Prints the host's share of `cells` cells. Prints nothing if the options do not ask the host to
/// help the GPUs.
void print_host_part(const StatisticsPrinter& out, const RunOptions& options, const HostCounts& host,
                     std::uint64_t cells);

}  // namespace warpseq
