// Elements of an XML document, one a line, without attributes: what reports need of XML. A library
// would hold the document of a query as a tree, and pass on bytes that XML has no place for.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace warpseq {

/// UTF-8 with what XML needs escaped; control characters and other code points that XML cannot hold
/// become U+FFFD. `text` is UTF-8.
std::string xml_escaped(std::string_view text);

/// "10", "1e-05": up to fifteen significant digits.
std::string xml_number(double value);

class XmlWriter {
   public:
    /// Appends to `out`, which outlives it. An element stands two blanks further in than the one
    /// that it is in; `level` is how many elements of somebody else's all of them are in.
    explicit XmlWriter(std::string& out, std::size_t level = 0) : out_(out), level_(level) {}

    void open(std::string_view name);
    /// Closes the innermost open element.
    void close();

    void element(std::string_view name, std::string_view text);
    void element(std::string_view name, double value) { element(name, xml_number(value)); }
    void element(std::string_view name, std::integral auto value) { element(name, std::to_string(value)); }

   private:
    void indent() { out_.append(2 * (level_ + open_.size()), ' '); }

    std::string& out_;
    std::size_t level_;
    std::vector<std::string> open_;
};

}  // namespace warpseq
