#include "reports/xml_writer.h"

#include <cstdio>

namespace warpseq {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

}  // namespace

std::string xml_escaped(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '&') {
            out += "&amp;";
        } else if (c == '<') {
            out += "&lt;";
        } else if (c == '>') {
            out += "&gt;";
        } else if (c == '"') {
            out += "&quot;";
        } else if (c == '\'') {
            out += "&apos;";
        } else if (c == '\t') {
            out += "&#x9;";
        } else if (c == '\n') {
            out += "&#xa;";
        } else if (c == '\r') {
            out += "&#xd;";  // a parser would turn the character into a line end
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += '#';
        } else if (const auto three = text.substr(i, 3); three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF") {
            out += kReplacement;
            i += 2;
        } else {
            out += c;
        }
    }
    return out;
}

std::string xml_number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.15g", value);
    return text;
}

void XmlWriter::open(std::string_view name) {
    indent();
    out_ += '<';
    out_ += name;
    out_ += ">\n";
    open_.emplace_back(name);
}

void XmlWriter::close() {
    const std::string name = std::move(open_.back());
    open_.pop_back();
    indent();
    out_ += "</" + name + ">\n";
}

void XmlWriter::element(std::string_view name, std::string_view text) {
    indent();
    out_ += '<';
    out_ += name;
    out_ += '>';
    out_ += xml_escaped(text);
    out_ += "</";
    out_ += name;
    out_ += ">\n";
}

}  // namespace warpseq
