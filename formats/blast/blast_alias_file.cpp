#include "formats/blast/blast_alias_file.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>

namespace warpseq {
namespace {

/// Returns the names in a list such as `A "B C"`. A name in quotes may have blanks.
std::vector<std::string> names_in(std::string_view text) {
    std::vector<std::string> names;
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
        if (text.empty()) return names;
        const bool is_quoted = text.front() == '"';
        if (is_quoted) text.remove_prefix(1);
        const std::size_t end = std::min(is_quoted ? text.find('"') : text.find_first_of(" \t"), text.size());
        names.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

}  // namespace

bool is_alias_size(const std::filesystem::path& file) {
    constexpr std::uint64_t kLongestBytes = std::uint64_t{16} << 20;
    std::error_code error;
    const std::uint64_t bytes = std::filesystem::file_size(file, error);  // an error unless it is a regular file
    return !error && bytes <= kLongestBytes;
}

Result<BlastAliasFile> read_blast_alias(const std::filesystem::path& file) {
    if (std::error_code error; std::filesystem::exists(file, error) && !is_alias_size(file))
        return Status::invalid_input(file.string() +
                                     ": is no file, or too large for an alias file of a BLAST database");
    std::ifstream in(file, std::ios::binary);
    if (!in) return Status::io(file.string() + ": cannot open: " + std::strerror(errno));
    BlastAliasFile alias;
    for (std::string line; std::getline(in, line);) {
        line.erase(line.find_last_not_of(" \t\r") + 1);
        if (line.empty() || line.front() == '#') continue;
        const std::size_t blank = std::min(line.find_first_of(" \t"), line.size());
        const std::string word = line.substr(0, blank);
        const std::string value = line.substr(std::min(line.find_first_not_of(" \t", blank), line.size()));
        if (word == "TITLE") {
            alias.title = value;
        } else if (word == "DBLIST") {
            alias.names = names_in(value);
        } else if (word == "NSEQ" || word == "LENGTH") {
            std::uint64_t number = 0;
            const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), number);
            if (fault != std::errc() || end != value.data() + value.size())
                return Status::invalid_input(file.string() + ": found '" + line + "', expected a number");
            (word == "NSEQ" ? alias.sequences : alias.residues) = number;
        } else if (alias.other_word.empty()) {
            alias.other_word = word;
        }
    }
    if (in.bad()) return Status::io(file.string() + ": cannot read: " + std::strerror(errno));
    return alias;
}

}  // namespace warpseq
