#include "options/arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

#include "libcore/base/thread_pool.h"
#include "options/option_set.h"

namespace warpseq {

std::optional<std::int64_t> whole_number_of(std::string_view text) {
    int base = 10;
    std::string digits(text);
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
        base = 16;
        digits.erase(0, 2);
        if (digits.starts_with('-')) return std::nullopt;
    } else if (digits.starts_with('+')) {
        digits.erase(0, 1);
        if (digits.starts_with('-')) return std::nullopt;
    }
    std::int64_t number = 0;
    const char* const end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, number, base);
    if (error != std::errc() || rest != end) return std::nullopt;
    return number;
}

std::optional<double> number_of(std::string_view text) {
    // strtod() skips blanks that a number begins with.
    constexpr std::string_view kFirst = "+-.0123456789iI";
    if (text.empty() || kFirst.find(text.front()) == std::string_view::npos) return std::nullopt;
    const std::string copy(text);
    char* rest = nullptr;
    const double number = std::strtod(copy.c_str(), &rest);
    if (rest != copy.c_str() + copy.size() || std::isnan(number)) return std::nullopt;
    return number;
}

Result<std::int64_t> parse_whole_number(std::string_view text, std::string_view option, std::int64_t least,
                                        std::int64_t most) {
    const auto number = whole_number_of(text);
    if (number && *number >= least && *number <= most) return *number;
    return Status::usage(std::string(option) + " " + std::string(text) + ": expected a whole number from " +
                         std::to_string(least) +
                         (most == std::numeric_limits<std::int64_t>::max() ? " up" : " to " + std::to_string(most)));
}

Result<double> parse_number(std::string_view text, std::string_view option, double least, double most) {
    const auto number = number_of(text);
    if (number && *number >= least && *number <= most) return *number;
    std::ostringstream expected;
    expected.exceptions(std::ios::badbit);  // a lack of memory throws
    expected << option << " " << text << ": expected a number from " << least;
    if (std::isinf(most)) {
        expected << " up";
    } else {
        expected << " to " << most;
    }
    return Status::usage(expected.str());
}

Result<std::uint64_t> parse_size_bytes(std::string_view text, std::string_view option) {
    const auto refuse = [&](std::string_view why) {
        return Status::usage(std::string(option) + ": '" + std::string(text) + "' " + std::string(why) +
                             "; give a number of bytes, with K, M, G or T for powers of 1024, such as 4G");
    };
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc() || !std::isfinite(number) || number < 0) return refuse("is not a size");
    std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    int shift = 0;
    if (!unit.empty()) {
        const std::string_view units = "kmgt";
        if (const auto place = units.find(lower(unit.front())); place != std::string_view::npos) {
            shift = 10 * (static_cast<int>(place) + 1);
            unit.remove_prefix(1);
            if (unit.size() == 2 && lower(unit.front()) == 'i') unit.remove_prefix(1);
        }
        if (unit.size() == 1 && lower(unit.front()) == 'b') unit.remove_prefix(1);
    }
    if (!unit.empty()) return refuse("has an unknown unit");
    const double bytes = std::ldexp(number, shift);
    if (bytes >= 0x1p63) return refuse("is too large");
    return static_cast<std::uint64_t>(bytes);
}

Status of_option(std::string_view option, const Status& status) {
    return Status(status.code(), std::string(option) + ": " + status.message()).with(status.advice());
}

std::filesystem::path output_path(const std::string& text) { return text == "-" ? "/dev/stdout" : text; }

Result<unsigned> read_threads(const OptionValues& parsed, const std::string& option) {
    if (parsed.count(option) == 0) return ThreadPool::hardware_threads();
    const auto threads = parse_whole_number(parsed.text(option), "--" + option, 1, 1024);
    if (!threads.ok()) return threads.status();
    return static_cast<unsigned>(*threads);
}

std::optional<std::vector<std::uint64_t>> parse_taxids(std::string_view text, char separator) {
    constexpr std::string_view kBlanks = " \t\r\v\f\n";
    std::vector<std::uint64_t> taxids;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        word.remove_prefix(std::min(word.find_first_not_of(kBlanks), word.size()));
        word = word.substr(0, word.find_last_not_of(kBlanks) + 1);
        if (word.empty()) continue;
        if (word.size() > 1 && word.front() == '+') word.remove_prefix(1);
        std::uint64_t taxid = 0;
        const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), taxid);
        if (error != std::errc() || rest != word.data() + word.size() ||
            taxid > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
            return {};
        taxids.push_back(taxid);
    }
    std::ranges::sort(taxids);
    taxids.erase(std::unique(taxids.begin(), taxids.end()), taxids.end());
    return taxids;
}

}  // namespace warpseq
