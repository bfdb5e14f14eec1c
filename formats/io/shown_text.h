// Text that came from an input, as messages show it: quoted, cut to a length, control characters
// replaced, so that a hostile name cannot drive somebody's terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpseq {

/// Appends `text` to `out` with each character that a terminal would act on as '?': controls (but
/// '\n' and '\t'), DEL, those of U+0080 to U+009F as UTF-8 or as single bytes, and the marks that
/// change the direction of text (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069). Other
/// bytes, UTF-8 or not, stay. Returns how many bytes at the end were left out because they may be
/// the beginning of a character whose rest is not there.
std::size_t append_for_terminal(std::string& out, std::string_view text);

/// All of `text`, the same way.
std::string for_terminal(std::string_view text);

/// In quotes, without line ends.
std::string shown_text(std::string_view text, std::size_t longest_bytes = 60);

}  // namespace warpseq
