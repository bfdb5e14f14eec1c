// The output of --stats: a line for each figure, on standard error.
#pragma once

#include <cstdint>
#include <string>

#include "engines/devices/gpu_jobs.h"
#include "options/search/common_options.h"

namespace warpseq {

/// A printer of lines "LABEL      VALUE", with all values from one column on.
class StatisticsPrinter {
   public:
    explicit StatisticsPrinter(int value_column) : value_column_(value_column) {}
    void line(const char* label, const std::string& value) const;

   private:
    int value_column_;
};

/// Returns seconds or per cent as "1.234".
std::string three_decimals(double value);
/// Returns "1.234 (56.789 GCUPS)".
std::string seconds_and_rate(double seconds, std::uint64_t cells);

/// Prints the host's share of `cells` cells, if it was asked to help the GPUs.
void print_host_part(const StatisticsPrinter& out, const RunOptions& options, const HostCounts& host,
                     std::uint64_t cells);

}  // namespace warpseq
