// Text for messages. UTF-8 is decoded only as far as needed, and bytes that form no valid character
// are checked one by one.
#include "formats/io/shown_text.h"

#include <algorithm>

namespace warpseq {

namespace {

/// Returns the number of bytes of the character that begins with `byte`, or 0 if no character of
/// several bytes does.
std::size_t character_bytes(unsigned char byte) {
    if (byte >= 0xc2 && byte <= 0xdf) return 2;
    if (byte >= 0xe0 && byte <= 0xef) return 3;
    if (byte >= 0xf0 && byte <= 0xf4) return 4;
    return 0;
}

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

bool is_control(unsigned char byte) {
    return (byte < 0x20 && byte != '\n' && byte != '\t') || (byte >= 0x7f && byte <= 0x9f);
}

/// Whether a terminal acts on a character of two or three bytes.
bool drives_terminals(std::string_view character) {
    std::uint32_t code = static_cast<unsigned char>(character[0]) & (character.size() == 2 ? 0x1fU : 0x0fU);
    for (const char byte : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(byte) & 0x3fU);
    return code <= 0x9f || code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::size_t append_for_terminal(std::string& out, std::string_view text) {
    while (!text.empty()) {
        const auto first = static_cast<unsigned char>(text[0]);
        const std::size_t bytes = character_bytes(first);
        const std::string_view character = text.substr(0, bytes);
        if (bytes == 0) {
            out += is_control(first) ? '?' : text[0];
            text.remove_prefix(1);
        } else if (!std::all_of(character.begin() + 1, character.end(), is_continuation)) {
            out += text[0];
            text.remove_prefix(1);
        } else if (character.size() < bytes) {
            return character.size();
        } else {
            if (bytes < 4 && drives_terminals(character)) {
                out += '?';
            } else {
                out += character;
            }
            text.remove_prefix(bytes);
        }
    }
    return 0;
}

std::string for_terminal(std::string_view text) {
    std::string shown;
    // An incomplete character at the end must not hide control bytes either.
    const std::size_t rest = append_for_terminal(shown, text);
    for (const char byte : text.substr(text.size() - rest)) {
        shown += is_control(static_cast<unsigned char>(byte)) ? '?' : byte;
    }
    return shown;
}

std::string shown_text(std::string_view text, std::size_t longest_bytes) {
    std::string shown = "\"" + for_terminal(text.substr(0, longest_bytes));
    std::ranges::replace(shown, '\n', '?');
    std::ranges::replace(shown, '\t', '?');
    return shown + (text.size() > longest_bytes ? "...\"" : "\"");
}

}  // namespace warpseq
