// Converts text to UTF-8. Titles of sequences have whatever encoding their file has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpseq {

/// Appends a code point, at most U+10FFFF.
void append_utf8(std::uint32_t code_point, std::string& out);

/// Returns `text` in UTF-8. Text that is not UTF-8 is taken for Windows-1252, which agrees with
/// Latin-1 about every printing character of the latter. If it has a byte that Windows-1252 does
/// not define, it is returned as it is.
std::string as_utf8(std::string_view text);

}  // namespace warpseq
