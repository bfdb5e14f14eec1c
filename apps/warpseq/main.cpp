// `warpseq COMMAND ...`, or any command under its own name: one program for all commands. This file
// only selects the command.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "apps/common/command_line.h"
#include "apps/common/process.h"
#include "apps/warpseq/citation.h"
#include "apps/warpseq/commands.h"
#include "apps/warpseq/completion.h"
#include "apps/warpseq/dropin_folder.h"
#include "formats/io/output_sink.h"
#include "libcore/base/version.h"
#include "options/near_name.h"

namespace warpseq {
namespace {

std::string help() {
    std::string text = "Usage: warpseq COMMAND [arguments]\n";
    std::size_t width = 0;
    for (const WarpseqCommand& command : warpseq_commands()) width = std::max(width, command.name.size());
    const auto line = [&](std::string_view name, std::string_view what) {
        text += "  " + std::string(name) + std::string(width + 2 - name.size(), ' ') + std::string(what) + "\n";
    };
    text += "\nCommands:\n";
    for (const WarpseqCommand& command : warpseq_commands())
        if (!command.is_dropin) line(command.name, command.help);
    line("dropin", "eval \"$(warpseq dropin)\" puts the programs below first in PATH");
    line("completion", "completions for a shell: eval \"$(warpseq completion bash)\"");
    text += "\nPrograms of others, with their command lines and their output:\n";
    for (const WarpseqCommand& command : warpseq_commands())
        if (command.is_dropin) line(command.name, command.help);
    text += "\nOptions:\n";
    line("--help", "prints this; after COMMAND, its options (-h for others' programs)");
    line("--version", "prints the version");
    line("--cite", "prints what to cite");
    return text;
}

Status run_dropin(int argc, char** argv) {
    const std::string_view word = argc > 1 ? argv[1] : "";
    if (word == "--help" || word == "-h") {
        return print(
            "Usage: eval \"$(warpseq dropin)\"\n"
            "\n"
            "Prints the line for the shell that puts warpseq's drop-in programs first in\nPATH. "
            "Creates the links to them if the installation has none.\n");
    }
    if (argc > 1) return Status::usage("unexpected argument '" + std::string(word) + "'; dropin takes none");
    std::vector<std::string_view> names;
    for (const WarpseqCommand& command : warpseq_commands())
        if (command.is_dropin) names.push_back(command.name);
    const auto folder = dropin_folder(names);
    if (!folder.ok()) return folder.status();
    const auto line = path_line(*folder);
    if (!line.ok()) return line.status();
    return print(*line);
}

Status run_completion(int argc, char** argv) {
    const std::string_view word = argc > 1 ? argv[1] : "";
    if (word == "--help" || word == "-h") {
        return print(
            "Usage: warpseq completion bash|zsh|fish\n"
            "\n"
            "Prints a script that lets the shell complete commands and options of warpseq:\n"
            "  bash   eval \"$(warpseq completion bash)\"\n"
            "  zsh    warpseq completion zsh > DIR/_warpseq     with DIR in fpath\n"
            "  fish   warpseq completion fish > ~/.config/fish/completions/warpseq.fish\n");
    }
    if (argc > 2) return Status::usage("unexpected argument '" + std::string(argv[2]) + "'; completion takes a shell");
    const auto script = completion_script(word, warpseq_commands());
    if (!script.ok()) return script.status();
    return print(*script);
}

/// Other programs of the packages whose programs warpseq stands in for.
constexpr std::string_view kOtherPrograms =
    " "
    "alimask blast_formatter blastdb_aliastool blastdbcheck blastdb_path blastn blastx convert2blastmask "
    "deltablast dustmasker hmmc2 hmmlogo hmmpgmd hmmpgmd_shard hmmsim "
    "makehmmerdb makembindex makeprofiledb nhmmer nhmmscan psiblast rpsblast rpstblastn segmasker tblastn "
    "tblastx windowmasker ";

bool is_in_path(const std::string& name) {
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string file = (folder.empty() ? "." : folder) + "/" + name;
        std::error_code error;
        if (std::filesystem::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0) return true;
    }
    return false;
}

std::string unknown_command(std::string_view word) {
    const std::string name(word);
    std::string text = "unknown command '" + name + "'";
    std::vector<std::string_view> known = {"dropin", "completion"};
    for (const WarpseqCommand& command : warpseq_commands()) known.push_back(command.name);
    text += did_you_mean(word, known);
    const bool is_program = name.find('/') == std::string::npos && is_in_path(name);
    if (is_program || kOtherPrograms.find(" " + name + " ") != std::string_view::npos) {
        text += "warpseq has no " + name + ", and " + (is_program ? "the one in PATH" : "one in PATH") +
                " is untouched by warpseq dropin; ";
    }
    return text + "warpseq --help lists the commands";
}

Status run(int argc, char** argv) {
    const std::string_view word = argc > 1 ? argv[1] : "";
    if (word == "--help" || word == "-h" || word == "help") return print(help());
    if (word == "--version") return print("warpseq " + std::string(program_version()) + "\n");
    if (word == "--cite") return print(citation_text());
    if (word == "completion") return run_completion(argc - 1, argv + 1);
    if (word == "dropin") return run_dropin(argc - 1, argv + 1);
    if (word.empty()) return Status::usage("no command given; warpseq --help lists the commands");
    return Status::usage(unknown_command(word));
}

}  // namespace
}  // namespace warpseq

int main(int argc, char** argv) {
    using namespace warpseq;
    const std::string called = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "";
    if (const WarpseqCommand* command = find_warpseq_command(called)) return command->run(argc, argv);
    if (argc > 1) {
        if (const WarpseqCommand* command = find_warpseq_command(argv[1])) return command->run(argc - 1, argv + 1);
    }
    prepare_process("warpseq");
    return report_status("warpseq", guarded([&] { return run(argc, argv); }));
}
