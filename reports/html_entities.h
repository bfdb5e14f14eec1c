// Decodes character references of HTML, such as "&amp;", "&#65;" and "&#x41;". Titles of sequences
// contain them if they went through a web page.
#pragma once

#include <string>
#include <string_view>

namespace warpseq {

/// Returns `text` with references replaced by their characters, in UTF-8. References are the names
/// of HTML 4, a few names of HTML 5, and numbers, and end with a semicolon. Other text stays as it
/// is.
std::string decode_html_entities(std::string_view text);

}  // namespace warpseq
