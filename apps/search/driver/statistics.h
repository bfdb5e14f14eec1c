// What --stats prints: a line for each figure on standard error.
#pragma once

#include <cstdint>
#include <string>

#include "engines/devices/gpu_jobs.h"
#include "options/search/common_options.h"

namespace warpseq {

/// "LABEL      VALUE", values below one another from a column on.
class StatisticsPrinter {
   public:
    explicit StatisticsPrinter(int value_column) : value_column_(value_column) {}
    void line(const char* label, const std::string& value) const;

   private:
    int value_column_;
};

/// "1.234": seconds, per cent.
std::string three_decimals(double value);
/// "1.234 (56.789 GCUPS)".
std::string seconds_and_rate(double seconds, std::uint64_t cells);

/// What the host did beside GPUs of so many cells, where it was asked to help.
void print_host_part(const StatisticsPrinter& out, const RunOptions& options, const HostCounts& host,
                     std::uint64_t cells);

}  // namespace warpseq
