#include "reports/utf8.h"

#include <algorithm>
#include <array>

#include "formats/wsdb/database_labels.h"

namespace warpseq {
namespace {

/// The code points of bytes 0x80 to 0x9F in Windows-1252; 0 where a byte is not defined. Bytes from
/// 0xA0 on are their own code points.
constexpr std::uint32_t kFirst = 0x80;
constexpr std::array<std::uint32_t, 32> kWindows1252 = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                                        0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                                        0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                        0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

std::uint32_t code_point_of(char byte) {
    const std::uint32_t code = static_cast<unsigned char>(byte);
    return code < kFirst || code >= kFirst + kWindows1252.size() ? code : kWindows1252[code - kFirst];
}

}  // namespace

void append_utf8(std::uint32_t code_point, std::string& out) {
    const auto byte = [&](std::uint32_t value) { out += static_cast<char>(static_cast<unsigned char>(value)); };
    const auto rest = [&](int shift) { byte(0x80 | (code_point >> shift & 0x3F)); };
    if (code_point < 0x80) {
        byte(code_point);
    } else if (code_point < 0x800) {
        byte(0xC0 | code_point >> 6);
        rest(0);
    } else if (code_point < 0x10000) {
        byte(0xE0 | code_point >> 12);
        rest(6);
        rest(0);
    } else {
        byte(0xF0 | code_point >> 18);
        rest(12);
        rest(6);
        rest(0);
    }
}

std::string as_utf8(std::string_view text) {
    const bool is_utf8 = !first_byte_not_utf8(text);
    const auto is_undefined = [](char byte) { return byte != '\0' && code_point_of(byte) == 0; };
    if (is_utf8 || std::ranges::any_of(text, is_undefined)) return std::string(text);
    std::string out;
    for (const char byte : text) append_utf8(code_point_of(byte), out);
    return out;
}

}  // namespace warpseq
