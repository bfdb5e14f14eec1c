#include "reports/xml_writer.h"

#include <doctest/doctest.h>

using namespace warpseq;

TEST_CASE("text of elements is escaped") {
    CHECK(xml_escaped("plain, 1 > 0 & 'so' <on> \"it\" goes") ==
          "plain, 1 &gt; 0 &amp; &apos;so&apos; &lt;on&gt; &quot;it&quot; goes");
    CHECK(xml_escaped("\xC3\xA9 and \x7F stay, tabs\t and line ends are written\r\n") ==
          "\xC3\xA9 and \x7F stay, tabs&#x9; and line ends are written&#xd;&#xa;");
    CHECK(xml_escaped(std::string_view("\0\x1F", 2)) == "##");
    CHECK(xml_escaped("\xEF\xBF\xBE.\xEF\xBF\xBF.\xEF\xBF\xBC") == "\xEF\xBF\xBD.\xEF\xBF\xBD.\xEF\xBF\xBC");
    CHECK(xml_escaped("\xEF\xBF") == "\xEF\xBF");
    CHECK(xml_escaped("").empty());
}

TEST_CASE("numbers have up to fifteen digits, and no more than they need") {
    CHECK(xml_number(10) == "10");
    CHECK(xml_number(0) == "0");
    CHECK(xml_number(-1) == "-1");
    CHECK(xml_number(1e-5) == "1e-05");
    CHECK(xml_number(0.041) == "0.041");
    CHECK(xml_number(123456789012345) == "123456789012345");
    CHECK(xml_number(1.23456789012345678e18) == "1.23456789012346e+18");
}

TEST_CASE("elements stand in lines, those within others further in") {
    std::string text = "before\n";
    XmlWriter xml(text);
    xml.open("a");
    xml.element("b", "<");
    xml.open("c");
    xml.element("d", 7u);
    xml.element("e", 0.5);
    xml.close();
    xml.element("f", "");
    xml.close();
    CHECK(text == "before\n<a>\n  <b>&lt;</b>\n  <c>\n    <d>7</d>\n    <e>0.5</e>\n  </c>\n  <f></f>\n</a>\n");
    text.clear();
    XmlWriter(text, 2).element("g", -1);
    CHECK(text == "    <g>-1</g>\n");
}
