// The options of `inspect`'s commands, and the arguments that they give.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/status.h"
#include "options/option_set.h"
#include "options/option_values.h"

namespace warpseq {

/// The options that a command of `inspect` may have, as bits.
enum InspectOption : unsigned {
    kOptionJson = 1,
    kOptionThreads = 2,
    kOptionOutput = 4,  // -o, --force, --width
    kOptionMemory = 8,
    kOptionAll = 16,
    kOptionList = 32,  // --list, --skip-missing, and identifiers after the database
    kOptionQuiet = 64,
    kOptionSecond = 128,   // a second database, and --list, which names the differences
    kOptionContent = 256,  // --letters, --low-complexity, --duplicates
};

/// The arguments of a command of `inspect`.
struct InspectArguments {
    std::string help;  // text to print; set only by --help, and then nothing else is read
    std::filesystem::path database;
    std::filesystem::path second;               // the database to compare with
    std::vector<std::string> identifiers;       // identifiers after the database
    std::optional<std::filesystem::path> list;  // file of identifiers
    std::optional<std::filesystem::path> output;
    bool force = false, json = false, all = false, quiet = false, skip_missing = false, list_differences = false;
    bool letters = false, low_complexity = false, duplicates = false;
    unsigned threads = 1;
    std::uint64_t memory_bytes = 0;  // memory for sorting
    std::uint64_t width = 60;        // residues in a line of FASTA; 0: a sequence is one line
};

/// Returns the options of each command, for completions. They are those that
/// parse_inspect_arguments() reads.
std::vector<CommandSyntax> inspect_syntax();

/// Returns the options of a command, which must be known. The hidden option "words" has the
/// database and what follows it.
OptionSet make_inspect_options(std::string_view command);
/// Returns the arguments that the values of these options state. Wrong values are usage errors.
Result<InspectArguments> read_inspect_arguments(const std::string& command, const OptionValues& values);

/// Reads the arguments of `inspect COMMAND`. argv[0] is the command, which must be known. Wrong
/// arguments are usage errors.
Result<InspectArguments> parse_inspect_arguments(int argc, char** argv);

/// Returns the folder for temporary files: $TMPDIR, or else the output's folder, or else the
/// system's.
std::filesystem::path temporary_folder(const InspectArguments& arguments);

}  // namespace warpseq
