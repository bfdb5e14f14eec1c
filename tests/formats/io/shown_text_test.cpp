// Text for terminals. Characters that control a terminal are replaced, and all others stay.
#include "formats/io/shown_text.h"

#include <doctest/doctest.h>

#include <string>

using namespace warpseq;

TEST_CASE("controls become question marks, all else stays") {
    CHECK(for_terminal("plain text\n\tand more") == "plain text\n\tand more");
    CHECK(for_terminal("a\033[2J\bb\x7f\r") == "a?[2J?b??");
    CHECK(for_terminal(std::string_view("\0", 1)) == "?");
    // C1 characters, as UTF-8, as single bytes, and in forms that are too long.
    CHECK(for_terminal("\xc2\x9b"
                       "31m") == "?31m");
    CHECK(for_terminal("\x9b"
                       "31m\x85") == "?31m?");
    CHECK(for_terminal("\xe0\x82\x9b") == "?");
    CHECK(for_terminal("\xc0\x9b") == "\xc0?");
    CHECK(for_terminal("\xe0\x80\x9b") == "?");
    // Marks of text direction.
    for (const char* mark :
         {"\xe2\x80\xaa", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xd8\x9c"}) {
        CHECK(for_terminal(std::string("a") + mark + "b") == "a?b");
    }
    // Neighbours of those characters, letters of two to four bytes, and bytes of another encoding.
    for (const char* text : {"\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\xaa", "\xe2\x80\x8d", "\xc2\xa0", "\xc3\xa9",
                             "\xc4\x9b", "\xe4\xb8\xad", "\xf0\x9f\xa7\xac", "\xe9t\xe9", "\xff"}) {
        CHECK(for_terminal(text) == text);
    }
    // Bytes that look like the beginning of a character do not hide the next byte.
    CHECK(for_terminal("\xc3\033") == "\xc3?");
    CHECK(for_terminal("\xe2\x80\033") == "\xe2??");
    CHECK(for_terminal("\xe2\x9b") == "\xe2?");
}

TEST_CASE("a character that is cut in two is put together, wherever it is cut") {
    const std::string text =
        "a\xc2\x9b"
        "b\xe2\x80\xae"
        "c\xf0\x9f\xa7\xac"
        "d\xc3\xa9";
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        std::string shown;
        const std::string first = text.substr(0, cut);
        const std::size_t left = append_for_terminal(shown, first);
        CHECK(append_for_terminal(shown, first.substr(first.size() - left) + text.substr(cut)) == 0);
        CHECK(shown ==
              "a?b?c\xf0\x9f\xa7\xac"
              "d\xc3\xa9");
    }
}

TEST_CASE("names in messages are quoted, on one line, and cut") {
    CHECK(shown_text("name") == "\"name\"");
    CHECK(shown_text("a\nb\tc\033") == "\"a?b?c?\"");
    CHECK(shown_text("abcdef", 3) == "\"abc...\"");
}
