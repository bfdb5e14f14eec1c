// Character references of HTML, as titles of sequences hold them that went through a web page:
// "&amp;", "&#65;", "&#x41;".
#pragma once

#include <string>
#include <string_view>

namespace warpseq {

/// What stands for characters becomes those, as UTF-8: the named references of HTML 4 and a few of
/// HTML 5, and numbers. A reference ends with a semicolon; anything else stays as it is.
std::string decode_html_entities(std::string_view text);

}  // namespace warpseq
