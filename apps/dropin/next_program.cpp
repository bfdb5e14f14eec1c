#include "apps/dropin/next_program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "apps/common/process.h"

namespace warpseq {
namespace {

/// The environment variable with the files that have had their turn, as entries
/// "NAME@DEVICE-INODE", separated by ':'.
constexpr const char* kVariable = "WARPSEQ_PASSED_ON_BY";
/// The folders where the system looks for programs if PATH is not set.
constexpr std::string_view kStandardPath = "/usr/local/bin:/bin:/usr/bin";

std::optional<std::string> entry_of(std::string_view name, const std::string& file) {
    struct stat info {};
    if (stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    return std::string(name) + "@" + std::to_string(info.st_dev) + "-" + std::to_string(info.st_ino);
}

std::vector<std::string_view> parts_of(std::string_view list) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = std::min(list.find(':'), list.size());
        parts.push_back(list.substr(0, end));
        if (end == list.size()) return parts;
        list.remove_prefix(end + 1);
    }
}

}  // namespace

Status run_next_program(std::string_view name, char* const* argv, const std::string& why) {
    const char* const before = std::getenv(kVariable);
    std::string passed = before == nullptr ? "" : before;
    const auto has_had_its_turn = [&](const std::string& entry) {
        const std::vector<std::string_view> entries = parts_of(passed);
        return std::ranges::find(entries, entry) != entries.end();
    };
    const auto add = [&](const std::string& entry) {
        if (!has_had_its_turn(entry)) passed += (passed.empty() ? "" : ":") + entry;
    };
    if (const auto own = entry_of(name, "/proc/self/exe")) add(*own);

    const char* const path = std::getenv("PATH");
    std::string fault;
    for (const std::string_view folder : parts_of(path == nullptr ? kStandardPath : std::string_view(path))) {
        const std::string file = std::string(folder.empty() ? "." : folder) + "/" + std::string(name);
        const std::optional<std::string> entry = entry_of(name, file);
        if (!entry || has_had_its_turn(*entry) || access(file.c_str(), X_OK) != 0) continue;
        const std::string rest = passed;
        add(*entry);
        setenv(kVariable, passed.c_str(), 1);
        std::vector<char*> words;
        for (char* const* word = argv; *word != nullptr; ++word) words.push_back(*word);
        std::string called = file;
        // A name without a folder stays as it was typed, because reports show it.
        if (std::strchr(words.front(), '/') != nullptr) words.front() = called.data();
        words.push_back(nullptr);
        {
            const OriginalSignals original;
            execv(file.c_str(), words.data());
        }
        fault = "; " + file + " cannot be started: " + std::strerror(errno);
        passed = rest;
    }
    if (before == nullptr) {
        unsetenv(kVariable);
    } else {
        setenv(kVariable, std::string(before).c_str(), 1);
    }
    return Status::invalid_input(why + "; warpseq works on proteins, and PATH has no other " + std::string(name) +
                                 " to hand this on to" + fault);
}

}  // namespace warpseq
