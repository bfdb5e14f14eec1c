#include "apps/dropin/data_size.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "libcore/base/ascii.h"
#include "options/blast_options.h"

namespace warpseq {

Result<std::uint64_t> read_data_size(const std::string& text) {
    std::size_t at = 0;
    const auto has_digit = [&](std::size_t place) { return place < text.size() && is_ascii_digit(text[place]); };
    const auto lower = [&](std::size_t place) { return place < text.size() ? ascii_lower(text[place]) : '\0'; };
    const auto wrong = [&](std::size_t place) {
        return Status::invalid_input(blast_cannot_convert(text, "Uint8", place));
    };
    if (text.starts_with('+')) ++at;
    if (!has_digit(at)) return wrong(at);
    long double size = 0;
    std::uint64_t whole = 0;
    std::size_t overflow = 0;  // the place of the digit at which the number gets too large, or 0
    for (; has_digit(at); ++at) {
        const auto digit = static_cast<std::uint64_t>(text[at] - '0');
        constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
        if (overflow == 0 && (whole > kMost / 10 || whole * 10 > kMost - digit)) overflow = at;
        if (overflow == 0) whole = whole * 10 + digit;
    }
    size = static_cast<long double>(whole);
    if (lower(at) == '.') {
        if (!has_digit(at + 1)) return wrong(at);
        long double unit = 1;
        for (++at; has_digit(at); ++at) size += (unit /= 10) * static_cast<long double>(text[at] - '0');
    }
    // A unit may follow a blank.
    constexpr std::string_view kUnits = "kmgtpe";
    const auto is_unit = [&](std::size_t place) {
        return place < text.size() && (lower(place) == 'b' || kUnits.find(lower(place)) != std::string_view::npos);
    };
    if (lower(at) == ' ' && is_unit(at + 1)) ++at;
    if (is_unit(at) && lower(at) != 'b') {
        const std::size_t power = kUnits.find(lower(at)) + 1;
        ++at;
        const bool is_binary = lower(at) == 'i' && lower(at + 1) == 'b';
        if (is_binary) ++at;
        size *= std::pow(is_binary ? 1024.0L : 1000.0L, static_cast<long double>(power));
    }
    if (lower(at) == 'b') ++at;
    if (at < text.size()) return wrong(at);
    if (overflow > 0) return wrong(overflow);
    constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 63;
    return size >= static_cast<long double>(kMostBytes) ? kMostBytes : static_cast<std::uint64_t>(size + 0.5L);
}

}  // namespace warpseq
