#include "reports/inspect/stats_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace warpseq {

std::string bar(double fraction, std::size_t columns) {
    const double filled = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(columns);
    const auto whole = static_cast<std::size_t>(std::lround(filled));
    return std::string(fraction > 0 ? std::max<std::size_t>(whole, 1) : 0, '#');
}

std::string percentage(double part, double whole) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2f %%", whole > 0 ? 100 * part / whole : 0.0);
    return text.data();
}

std::string right(std::string text, std::size_t width) {
    return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

}  // namespace warpseq
