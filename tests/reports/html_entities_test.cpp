#include "reports/html_entities.h"

#include <doctest/doctest.h>

using namespace warpseq;

TEST_CASE("names and numbers become characters") {
    CHECK(decode_html_entities("a&amp;b &lt;c&gt;") == "a&b <c>");
    CHECK(decode_html_entities("&#65;&#x41;&#X6a;") == "AAj");
    CHECK(decode_html_entities("&eacute;&alpha;&#128512;") == "\xc3\xa9\xce\xb1\xf0\x9f\x98\x80");
    CHECK(decode_html_entities("&AElig;&aelig;") == "\xc3\x86\xc3\xa6");
}

TEST_CASE("anything else stays") {
    for (const char* text : {"", "&", "a & b", "&;", "&foo;", "&amp", "&#;", "&#x;", "&#12a;", "&#0;", "&#99999999;",
                             "&#-5;", "&averyveryverylongname;", "&&"}) {
        CHECK(decode_html_entities(text) == text);
    }
    CHECK(decode_html_entities("&&amp;&x;") == "&&&x;");
    // NCBI's programs pass over an x at the beginning.
    CHECK(decode_html_entities("&xi;&Xi;&x41;") == "&xi;&Xi;&x41;");
    CHECK(decode_html_entities("&xlt;&Xeta;") == "<\xce\xb7");
}
