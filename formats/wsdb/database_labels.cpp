#include "formats/wsdb/database_labels.h"

#include <cstdint>
#include <utility>

#include "formats/io/shown_text.h"
#include "formats/wsdb/wsdb_provenance.h"
#include "formats/wsdb/wsdb_reader.h"
#include "formats/wsdb/wsdb_set.h"

namespace warpseq {

namespace {

/// Returns the bytes of the first character of `text`, or 0 if it is not valid UTF-8: not the
/// shortest form, half of a surrogate pair, or above the last code point.
std::size_t character_bytes(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t bytes = first >= 0xc2 && first <= 0xdf   ? 2
                              : first >= 0xe0 && first <= 0xef ? 3
                              : first >= 0xf0 && first <= 0xf4 ? 4
                                                               : 0;
    if (bytes == 0 || text.size() < bytes) return 0;
    std::uint32_t code = first & (0xffU >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return 0;
        code = code << 6 | (byte(i) & 0x3fU);
    }
    if (bytes == 3 && (code < 0x800 || (code >= 0xd800 && code <= 0xdfff))) return 0;
    if (bytes == 4 && (code < 0x10000 || code > 0x10ffff)) return 0;
    return bytes;
}

}  // namespace

std::optional<std::size_t> first_byte_not_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t bytes = character_bytes(text.substr(at));
        if (bytes == 0) return at;
        at += bytes;
    }
    return std::nullopt;
}

std::optional<std::string> why_no_label(std::string_view text, std::size_t longest_bytes) {
    if (text.size() > longest_bytes) {
        return "is longer than " + std::to_string(longest_bytes) + " bytes: it has " + std::to_string(text.size());
    }
    if (const auto at = first_byte_not_utf8(text)) return "is not UTF-8 at byte " + std::to_string(*at + 1);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t bytes = character_bytes(text.substr(at));
        const std::string_view character = text.substr(at, bytes);
        if (character == "\n" || character == "\t" || for_terminal(character) != character)
            return "holds a control character, at byte " + std::to_string(at + 1);
        at += bytes;
    }
    return std::nullopt;
}

DatabaseLabels labels_of(const std::vector<std::filesystem::path>& inputs) {
    if (inputs.size() != 1) return {};
    if (is_wsdb_set(inputs.front())) {
        auto manifest = read_set_manifest(inputs.front());
        return manifest.ok() ? std::move(manifest->labels) : DatabaseLabels();
    }
    if (!begins_as_wsdb(inputs.front())) return {};
    const auto reader = WsdbReader::open(inputs.front());
    if (!reader.ok()) return {};
    auto provenance = provenance_of(*reader);
    return provenance ? std::move(provenance->labels) : DatabaseLabels();
}

}  // namespace warpseq
