// Text that came from an input, as messages show it: quoted, cut to a length, control characters replaced, so that a hostile
// name cannot drive somebody's terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpseq {

inline std::string shown_text(std::string_view text, std::size_t longest_bytes = 60) {
    std::string result = "\"";
    for (const char byte : text.substr(0, longest_bytes)) {
        result += static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f ? '?' : byte;
    }
    return result + (text.size() > longest_bytes ? "...\"" : "\"");
}

}  // namespace warpseq
