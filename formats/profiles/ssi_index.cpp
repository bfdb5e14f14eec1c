#include "formats/profiles/ssi_index.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace warpseq {
namespace {

void append_number(std::uint64_t value, int bytes, std::string& out) {
    while (bytes-- > 0) out += static_cast<char>(value >> (8 * bytes));
}

void append_padded(const std::string& text, std::size_t width, std::string& out) {
    out += text;
    out.append(width - text.size(), '\0');
}

}  // namespace

std::string ssi_index(const std::string& file, std::vector<SsiEntry> entries) {
    std::size_t name_width = 0, accession_width = 0;
    std::vector<std::pair<std::string, std::string>> accessions;
    for (const SsiEntry& entry : entries) {
        name_width = std::max(name_width, entry.name.size() + 1);
        if (entry.accession.empty()) continue;
        accession_width = std::max(accession_width, entry.accession.size() + 1);
        accessions.emplace_back(entry.accession, entry.name);
    }
    std::ranges::sort(entries, {}, &SsiEntry::name);
    std::ranges::sort(accessions);
    const std::size_t file_width = file.size() + 1;
    const std::uint64_t file_bytes = file_width + 16, entry_bytes = name_width + 26,
                        accession_bytes = accession_width + name_width;
    constexpr std::uint64_t kHeaderBytes = 78;
    std::string out;
    append_number(0xd3d3c9b3, 4, out);
    append_number(0, 4, out);
    append_number(8, 4, out);
    append_number(1, 2, out);
    append_number(entries.size(), 8, out);
    append_number(accessions.size(), 8, out);
    for (const std::uint64_t number : {std::uint64_t{file_width}, std::uint64_t{name_width},
                                       std::uint64_t{accession_width}, file_bytes, entry_bytes, accession_bytes})
        append_number(number, 4, out);
    append_number(kHeaderBytes, 8, out);
    append_number(kHeaderBytes + file_bytes, 8, out);
    append_number(kHeaderBytes + file_bytes + entry_bytes * entries.size(), 8, out);
    append_padded(file.substr(file.rfind('/') + 1), file_width, out);
    out.append(16, '\0');
    for (const SsiEntry& entry : entries) {
        append_padded(entry.name, name_width, out);
        append_number(0, 2, out);
        append_number(entry.offset, 8, out);
        out.append(16, '\0');
    }
    for (const auto& [accession, name] : accessions) {
        append_padded(accession, accession_width, out);
        append_padded(name, name_width, out);
    }
    return out;
}

}  // namespace warpseq
