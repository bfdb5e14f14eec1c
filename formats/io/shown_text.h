// Functions that prepare text from an input for messages. The text is quoted and cut to a length,
// and its control characters are replaced, so that a hostile name cannot control the user's
// terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpseq {

/// Appends `text` to `out`, with '?' for each character that a terminal would act on. These are
/// control characters except '\n' and '\t', DEL, U+0080 to U+009F as UTF-8 or as single bytes, and
/// the marks that change the direction of text (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to
/// U+2069). Other bytes stay, whether they are UTF-8 or not. Returns the number of bytes that were
/// left out at the end, because they may begin a character whose rest is missing.
std::size_t append_for_terminal(std::string& out, std::string_view text);

/// Returns `text` as append_for_terminal() would write it, including an incomplete character at its
/// end.
std::string for_terminal(std::string_view text);

/// Returns at most `longest_bytes` bytes of `text` in quotes, without line ends.
std::string shown_text(std::string_view text, std::size_t longest_bytes = 60);

}  // namespace warpseq
