#include "reports/utf8.h"

#include <doctest/doctest.h>

#include <string>

using namespace warpseq;

TEST_CASE("code points in one to four bytes") {
    const auto utf8 = [](std::uint32_t code_point) {
        std::string out = ">";
        append_utf8(code_point, out);
        return out;
    };
    CHECK(utf8('a') == ">a");
    CHECK(utf8(0x7F) == ">\x7F");
    CHECK(utf8(0x80) == ">\xC2\x80");
    CHECK(utf8(0x7FF) == ">\xDF\xBF");
    CHECK(utf8(0x800) == ">\xE0\xA0\x80");
    CHECK(utf8(0xFFFF) == ">\xEF\xBF\xBF");
    CHECK(utf8(0x10000) == ">\xF0\x90\x80\x80");
    CHECK(utf8(0x10FFFF) == ">\xF4\x8F\xBF\xBF");
}

TEST_CASE("UTF-8 stays, and other text is Windows-1252") {
    CHECK(as_utf8("").empty());
    CHECK(as_utf8("plain\x7F\n") == "plain\x7F\n");
    CHECK(as_utf8("caf\xC3\xA9 \xF0\x9F\x98\x80") == "caf\xC3\xA9 \xF0\x9F\x98\x80");
    CHECK(as_utf8("caf\xE9 \xFF") == "caf\xC3\xA9 \xC3\xBF");
    CHECK(as_utf8("\xA0") == "\xC2\xA0");
    CHECK(as_utf8("a\x80\x85\x9F") == "a\xE2\x82\xAC\xE2\x80\xA6\xC5\xB8");
    // One byte that is not UTF-8 decides about all of the text.
    CHECK(as_utf8("\xC3\xA9 \xE9") == "\xC3\x83\xC2\xA9 \xC3\xA9");
    for (const char* undefined : {"\xE9 \x81", "\x8D", "\x8F", "\x90", "\x9D"}) CHECK(as_utf8(undefined) == undefined);
}
