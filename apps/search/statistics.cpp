#include "apps/search/statistics.h"

#include <cstdio>

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

}  // namespace warpseq
