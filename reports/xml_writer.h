// XmlWriter: writes the XML that reports need, which is elements without attributes, each on its
// own line. A library would hold the document of a query as a tree, and it would pass on bytes that
// XML does not allow.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace warpseq {

/// Returns `text` with the characters escaped that have a meaning in XML, and tabs and line ends.
/// `text` is UTF-8. Control characters that XML does not allow become "#", as in NCBI's programs.
/// Other code points that it does not allow become U+FFFD.
std::string xml_escaped(std::string_view text);

/// Returns a number with up to fifteen significant digits, such as "10" or "1e-05".
std::string xml_number(double value);

/// A writer of nested elements.
class XmlWriter {
   public:
    /// Makes a writer that appends to `out`, which must outlive it. An element is indented by two
    /// blanks more than the element that contains it. `level` is the number of open elements that
    /// another writer wrote.
    explicit XmlWriter(std::string& out, std::size_t level = 0) : out_(out), level_(level) {}

    /// Opens an element.
    void open(std::string_view name);
    /// Closes the innermost open element.
    void close();

    /// Writes an element that holds text or a number.
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
