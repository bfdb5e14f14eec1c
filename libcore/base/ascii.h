// Functions for ASCII letters and digits. Unlike <cctype>, they do not depend on the locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace warpseq {

constexpr bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_ascii_alphanumeric(char c) { return is_ascii_digit(c) || is_ascii_letter(c); }

/// Returns the capital of a small letter. Returns any other byte unchanged.
constexpr char ascii_upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
/// Returns the small letter of a capital. Returns any other byte unchanged.
constexpr char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Returns the text with its letters in capitals.
inline std::string ascii_upper(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = ascii_upper(c);
    return out;
}
/// Returns the text with its letters in small letters.
inline std::string ascii_lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = ascii_lower(c);
    return out;
}

/// Returns the text without white space at its end.
constexpr std::string_view without_trailing_space(std::string_view text) {
    return text.substr(0, text.find_last_not_of(" \t\n\v\f\r") + 1);
}

/// Whether two texts are the same apart from the case of their letters.
inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, [](char x, char y) { return ascii_upper(x) == ascii_upper(y); });
}

}  // namespace warpseq
