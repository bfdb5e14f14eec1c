#include "apps/search/driver/statistics.h"

#include <cstdio>

#include "libcore/base/number_format.h"

namespace warpseq {

void StatisticsPrinter::line(const char* label, const std::string& value) const {
    std::fprintf(stderr, "%-*s%s\n", value_column_, label, value.c_str());
}

std::string three_decimals(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", value);
    return text;
}

std::string seconds_and_rate(double seconds, std::uint64_t cells) {
    const double rate = seconds > 0 ? static_cast<double>(cells) / seconds / 1e9 : 0;
    return three_decimals(seconds) + " (" + three_decimals(rate) + " GCUPS)";
}

void print_host_part(const StatisticsPrinter& out, const RunOptions& options, const HostCounts& host,
                     std::uint64_t cells) {
    if (!options.device.cpu_helps) return;
    const double part = cells == 0 ? 0 : 100 * static_cast<double>(host.cells) / static_cast<double>(cells);
    out.line("cells on the CPU",
             format_count(host.cells) + " (" + three_decimals(part) + " %), " + three_decimals(host.seconds) + " s");
}

}  // namespace warpseq
