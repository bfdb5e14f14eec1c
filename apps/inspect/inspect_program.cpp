#include "apps/inspect/inspect_program.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "apps/common/command_line.h"
#include "apps/common/process.h"
#include "apps/inspect/commands.h"
#include "formats/io/output_sink.h"
#include "libcore/base/version.h"

namespace warpseq {
namespace {

constexpr std::string_view kUsage =
    "Usage: inspect COMMAND DATABASE.wsdb [options]\n"
    "\n"
    "Commands:\n"
    "  info       what the database is, its sections, where it comes from\n"
    "  stats      composition, lengths, padding, compression\n"
    "  validate   checks every bit of it\n"
    "  fetch      prints sequences by identifier\n"
    "  fasta      gives the whole input back\n"
    "  compare    what differs between two of them\n"
    "  salvage    whole sequences out of a damaged one\n"
    "\n"
    "inspect COMMAND --help lists a command's options; inspect --version prints the\n"
    "version.\n";

struct Command {
    std::string_view name, program;  // messages begin with `program`
    Status (*run)(int argc, char** argv);
};
constexpr std::array<Command, 7> kCommands = {{{"info", "inspect info", run_info_command},
                                               {"stats", "inspect stats", run_stats_command},
                                               {"validate", "inspect validate", run_validate_command},
                                               {"fetch", "inspect fetch", run_fetch_command},
                                               {"fasta", "inspect fasta", run_fasta_command},
                                               {"compare", "inspect compare", run_compare_command},
                                               {"salvage", "inspect salvage", run_salvage_command}}};

}  // namespace

int inspect_program(int argc, char** argv) {
    prepare_process("inspect");
    const std::string_view word = argc > 1 ? argv[1] : "";
    if (word == "--help" || word == "-h" || word == "help") {
        return report_status("inspect", print(kUsage));
    }
    if (word == "--version") {
        return report_status("inspect", print("inspect (warpseq) " + std::string(program_version()) + "\n"));
    }
    const auto command = std::ranges::find(kCommands, word, &Command::name);
    if (command == kCommands.end()) {
        const std::string found = word.empty() ? "no command given" : "unknown command '" + std::string(word) + "'";
        return report_status(
            "inspect",
            Status::usage(found + "; the commands are: info, stats, validate, fetch, fasta, compare, salvage "
                                  "(inspect --help says more)"));
    }
    set_program_name(command->program);
    return report_status(command->program, guarded([&] { return command->run(argc - 1, argv + 1); }));
}

}  // namespace warpseq
