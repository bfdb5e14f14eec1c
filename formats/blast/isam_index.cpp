#include "formats/blast/isam_index.h"

#include <algorithm>
#include <array>

namespace warpseq {
namespace {

enum Kind : std::uint32_t { kNumbers = 0, kTexts = 2 };

void append_head(Kind kind, std::uint64_t data_bytes, std::size_t entries, std::uint32_t entries_of_page,
                 std::uint32_t longest_line, std::string& bytes) {
    const auto pages = static_cast<std::uint32_t>((entries + entries_of_page - 1) / entries_of_page);
    for (const std::uint32_t number :
         {1U, static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(data_bytes),
          static_cast<std::uint32_t>(entries), pages, entries_of_page, longest_line, 0U, 0U})
        append_big_endian(number, bytes);
}

}  // namespace

void append_big_endian(std::uint32_t number, std::string& bytes) {
    const std::array<char, 4> four = {static_cast<char>(number >> 24), static_cast<char>(number >> 16),
                                      static_cast<char>(number >> 8), static_cast<char>(number)};
    bytes.append(four.data(), four.size());
}

IsamFiles isam_of_numbers(std::vector<std::pair<std::uint32_t, std::uint32_t>> entries) {
    constexpr std::uint32_t kEntriesOfPage = 256, kEntryBytes = 8;
    IsamFiles files;
    append_head(kNumbers, entries.size() * kEntryBytes, entries.size(), kEntriesOfPage, 0, files.index);
    std::ranges::sort(entries);
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        for (std::string* const bytes : {&files.data, &files.index}) {
            if (bytes == &files.index && i % kEntriesOfPage != 0) continue;
            append_big_endian(entries[i].first, *bytes);
            append_big_endian(entries[i].second, *bytes);
        }
    }
    append_big_endian(~std::uint32_t{0}, files.index);
    append_big_endian(0, files.index);
    return files;
}

void IsamTexts::add(std::string_view key, std::uint32_t sequence) {
    const std::size_t begin = text_.size();
    text_ += key;
    text_ += '\x02';
    text_ += std::to_string(sequence);
    text_ += '\n';
    lines_.emplace_back(begin, static_cast<std::uint32_t>(text_.size() - begin));
}

IsamFiles IsamTexts::files() const {
    constexpr std::uint32_t kEntriesOfPage = 64, kLongestLine = 4096, kHeadBytes = 36;
    const std::string_view text = text_;
    auto lines = lines_;
    std::ranges::sort(lines, [&](const auto& a, const auto& b) {
        return text.substr(a.first, a.second) < text.substr(b.first, b.second);
    });
    IsamFiles files;
    append_head(kTexts, text_.size(), lines.size(), kEntriesOfPage, kLongestLine, files.index);
    files.data.reserve(text_.size());
    std::string keys;
    std::vector<std::uint32_t> key_places;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string_view line = text.substr(lines[i].first, lines[i].second);
        if (i % kEntriesOfPage == 0) {
            append_big_endian(static_cast<std::uint32_t>(files.data.size()), files.index);
            key_places.push_back(static_cast<std::uint32_t>(keys.size()));
            keys.append(line.substr(0, line.size() - 1)).push_back('\0');
        }
        files.data += line;
    }
    append_big_endian(static_cast<std::uint32_t>(files.data.size()), files.index);
    key_places.push_back(static_cast<std::uint32_t>(keys.size()));
    const auto keys_begin = kHeadBytes + static_cast<std::uint32_t>(key_places.size()) * 8;
    for (const std::uint32_t place : key_places) append_big_endian(keys_begin + place, files.index);
    files.index += keys;
    return files;
}

void IsamTexts::clear() {
    text_.clear();
    lines_.clear();
}

}  // namespace warpseq
