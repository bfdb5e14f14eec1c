#include "apps/dropin/blast_settings.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include "libcore/base/ascii.h"

namespace warpseq {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBlanks = " \t\r\v\f";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

/// Returns a value without its quotes and backslashes. Returns nothing if a quote stands in its
/// middle or is not closed.
std::optional<std::string> value_of(std::string_view text) {
    const bool is_quoted = text.size() > 1 && text.front() == '"';
    if (is_quoted) text.remove_prefix(1);
    std::string value;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') {
            if (is_quoted && i + 1 == text.size()) return value;
            return {};
        }
        if (text[i] != '\\' || i + 1 == text.size()) {
            value += text[i];
            continue;
        }
        switch (text[++i]) {
            case 't': value += '\t'; break;
            case 'n': value += '\n'; break;
            case 'r': value += '\r'; break;
            default: value += text[i];
        }
    }
    if (is_quoted) return {};
    return value;
}

std::optional<fs::path> from_environment(const char* name) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') return {};
    return fs::path(value);
}

fs::path home_folder() {
    if (const auto home = from_environment("HOME")) return *home;
    const passwd* const user = getpwuid(getuid());
    return user != nullptr ? fs::path(user->pw_dir) : fs::path();
}

std::vector<fs::path> folders() {
    std::vector<fs::path> all;
    if (const auto path = from_environment("NCBI_CONFIG_PATH")) {
        std::string_view rest = path->native();
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find(':'), rest.size());
            if (end > 0) all.emplace_back(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        return all;
    }
    if (std::getenv("NCBI_DONT_USE_LOCAL_CONFIG") == nullptr) {
        all.emplace_back(".");
        if (const fs::path home = home_folder(); !home.empty()) all.push_back(home);
    }
    if (const auto ncbi = from_environment("NCBI")) all.push_back(*ncbi);
    all.emplace_back("/etc");
    return all;
}

/// Returns the value of `name` in a file. Returns nothing if the file has none, has a mistake, or
/// cannot be read.
std::optional<std::string> value_in(const fs::path& file, const std::string& name) {
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto settings = read_blast_settings(text, "BLAST");
    if (!settings.ok()) return {};
    const auto found = settings->find(name);
    if (found == settings->end()) return {};
    return found->second;
}

}  // namespace

Result<std::map<std::string, std::string>> read_blast_settings(std::string_view text, std::string_view section) {
    std::map<std::string, std::string> values;
    const std::string wanted = ascii_upper(section);
    bool is_wanted = false;
    for (std::uint64_t number = 1; !text.empty(); ++number) {
        const auto take_line = [&] {
            const std::size_t end = std::min(text.find('\n'), text.size());
            const std::string_view line = trimmed(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
            return line;
        };
        const std::uint64_t first = number;
        std::string line(take_line());
        if (line.empty() || line.front() == ';' || line.front() == '#') continue;
        const auto wrong = [&](const std::string& what) {
            return Status::invalid_input("line " + std::to_string(first) + ": " + what + ": '" + line + "'");
        };
        if (line.front() == '[') {
            const std::size_t end = line.find(']');
            if (end == std::string::npos) return wrong("a section without ']'");
            is_wanted = ascii_upper(trimmed(std::string_view(line).substr(1, end - 1))) == wanted;
            continue;
        }
        while (line.ends_with('\\') && !text.empty()) {
            line.back() = '\n';
            line += take_line();
            ++number;
        }
        const std::size_t sign = line.find('=');
        if (sign == std::string::npos) return wrong("expected NAME=VALUE");
        const std::string name = ascii_upper(trimmed(std::string_view(line).substr(0, sign)));
        const auto value = value_of(trimmed(std::string_view(line).substr(sign + 1)));
        if (!value) return wrong("a quote in the middle of a value");
        if (is_wanted) values[name] = *value;
    }
    return values;
}

std::optional<std::string> blast_setting(const std::string& name) {
    if (const char* const value = std::getenv(("NCBI_CONFIG__BLAST__" + name).c_str()); value != nullptr) return value;
    if (const auto file = from_environment("NCBI_CONFIG_OVERRIDES"))
        if (auto value = value_in(*file, name)) return value;
    for (const fs::path& folder : folders()) {
        std::error_code error;
        const fs::path file = folder / ".ncbirc";
        if (fs::is_regular_file(file, error)) return value_in(file, name);
    }
    return {};
}

}  // namespace warpseq
