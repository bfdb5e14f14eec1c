// The options of `inspect`'s commands, and their settings by them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "libcore/base/status.h"
#include "options/option_set.h"

namespace warpseq {

enum InspectOption : unsigned {
    kOptionJson = 1,
    kOptionThreads = 2,
    kOptionOutput = 4,  // -o, --force, --width
    kOptionMemory = 8,
    kOptionAll = 16,
    kOptionList = 32,  // --list, --skip-missing, and identifiers behind the database
    kOptionQuiet = 64,
    kOptionSecond = 128,   // a second database behind the first one, and --list, which says what differs
    kOptionContent = 256,  // --letters, --low-complexity, --duplicates
};

struct InspectArguments {
    std::string help;  // to be printed where --help was asked for, and nothing else is read then
    std::filesystem::path database;
    std::filesystem::path second;  // database
    std::vector<std::string> identifiers;
    std::optional<std::filesystem::path> list;
    std::optional<std::filesystem::path> output;
    bool force = false, json = false, all = false, quiet = false, skip_missing = false, list_differences = false;
    bool letters = false, low_complexity = false, duplicates = false;
    unsigned threads = 1;
    std::uint64_t memory_bytes = 0;
    std::uint64_t width = 60;
};

/// What the command lines of all commands may hold, from one table.
std::vector<CommandSyntax> inspect_syntax();

/// Parses the arguments of `inspect COMMAND`; argv[0] is the command.
Result<InspectArguments> parse_inspect_arguments(int argc, char** argv);

/// Where temporary files go: $TMPDIR, else beside the output, else the system's folder.
std::filesystem::path temporary_folder(const InspectArguments& arguments);

}  // namespace warpseq
