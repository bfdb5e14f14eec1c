#include "apps/inspect/inspect_program.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "apps/common/command_line.h"
#include "apps/common/process.h"
#include "apps/inspect/commands.h"
#include "formats/io/output_sink.h"
#include "libcore/base/version.h"
#include "options/near_name.h"

namespace warpseq {
namespace {

struct Command {
    std::string_view name, program;  // messages begin with `program`
    std::string_view summary;        // of a line, for the help of inspect
    Status (*run)(int argc, char** argv);
};
constexpr auto kCommands = std::to_array<Command>({
    {"info", "inspect info", "what the database is, its sections, where it comes from", run_info_command},
    {"stats", "inspect stats", "composition, lengths, padding, compression", run_stats_command},
    {"validate", "inspect validate", "checks every bit of it", run_validate_command},
    {"fetch", "inspect fetch", "prints sequences by identifier", run_fetch_command},
    {"fasta", "inspect fasta", "gives the whole input back", run_fasta_command},
    {"compare", "inspect compare", "what differs between two of them", run_compare_command},
    {"salvage", "inspect salvage", "whole sequences out of a damaged one", run_salvage_command},
});
constexpr std::size_t kCommandNameColumns = 11;  // with the blanks behind the longest

static_assert(std::ranges::all_of(kCommands, [](const Command& command) {
    return command.name.size() + 2 <= kCommandNameColumns;
}));

std::string help_text() {
    std::string text = "Usage: inspect COMMAND DATABASE.wsdb [options]\n\nCommands:\n";
    for (const Command& command : kCommands) {
        std::string name(command.name);
        name.resize(kCommandNameColumns, ' ');
        text += "  " + name + std::string(command.summary) + "\n";
    }
    return text +
           "\n"
           "inspect COMMAND --help lists a command's options; inspect --version prints the\n"
           "version.\n";
}

std::string command_names() {
    std::string names;
    for (const Command& command : kCommands) names += (names.empty() ? "" : ", ") + std::string(command.name);
    return names;
}

}  // namespace

int inspect_program(int argc, char** argv) {
    prepare_process("inspect");
    const std::string_view word = argc > 1 ? argv[1] : "";
    if (word == "--help" || word == "-h" || word == "help") {
        return report_status("inspect", print(help_text()));
    }
    if (word == "--version") {
        return report_status("inspect", print("inspect (warpseq) " + std::string(program_version()) + "\n"));
    }
    const auto command = std::ranges::find(kCommands, word, &Command::name);
    if (command == kCommands.end()) {
        std::string message = "no command given; ";
        if (!word.empty()) {
            std::vector<std::string_view> known;
            for (const Command& each : kCommands) known.push_back(each.name);
            message = "unknown command '" + std::string(word) + "'" + did_you_mean(word, known);
        }
        return report_status(
            "inspect", Status::usage(message + "the commands are: " + command_names() + " (inspect --help says more)"));
    }
    set_program_name(command->program);
    return report_status(command->program, guarded([&] { return command->run(argc - 1, argv + 1); }));
}

}  // namespace warpseq
