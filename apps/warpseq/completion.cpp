#include "apps/warpseq/completion.h"

#include <vector>

namespace warpseq {
namespace {

/// A command with its own commands. If it has none, there is one entry without a name.
struct Described {
    const WarpseqCommand& command;
    std::vector<CommandSyntax> syntax;

    bool has_commands() const { return !syntax.empty() && !syntax.front().name.empty(); }
};

/// The words after `warpseq` that are no programs.
struct Word {
    std::string_view name, help;
};
constexpr Word kWords[] = {{"dropin", "prints the line that puts drop-in programs first in PATH"},
                           {"completion", "prints a script of completions for bash, zsh or fish"},
                           {"--help", "prints the commands"},
                           {"--version", "prints the version"},
                           {"--cite", "prints what to cite"}};
constexpr std::string_view kShells = "bash zsh fish";

/// Returns a text in single quotes, for any shell. bash and zsh leave backslashes as they are; fish
/// leaves only those that stand before neither ' nor a backslash.
std::string in_quotes(std::string_view text, bool is_fish = false) {
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'') {
            quoted += is_fish ? "\\'" : "'\\''";
        } else if (c == '\\' && is_fish) {
            quoted += "\\\\";
        } else {
            quoted += c == '\n' ? ' ' : c;
        }
    }
    return quoted + "'";
}

/// Escapes a text for zsh, whose _describe and _arguments end a name at ':' and a description at
/// ']'.
std::string escaped_for_zsh(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (c == ':' || c == '[' || c == ']' || c == '\\') escaped += '\\';
        escaped += c;
    }
    return escaped;
}

std::string names_of(const std::vector<CommandSyntax>& syntax) {
    std::string names;
    for (const CommandSyntax& each : syntax) names += (names.empty() ? "" : " ") + each.name;
    return names;
}

std::string bash_script(const std::vector<Described>& programs) {
    std::string first, second, options;
    for (const auto& [command, syntax] : programs) first += std::string(command.name) + " ";
    for (const Word& word : kWords) first += std::string(word.name) + (word.name == "--cite" ? "" : " ");
    for (const Described& program : programs) {
        const std::string name(program.command.name);
        if (program.has_commands())
            second += "        2:" + name + ":*) words='" + names_of(program.syntax) + " --help --version' ;;\n";
        for (const CommandSyntax& each : program.syntax) {
            options += "        *:" + name + ":" + (each.name.empty() ? "*" : each.name) + ") words='";
            std::string words;
            for (const ListedOption& option : each.options) {
                const bool is_long = !option.long_name.empty();
                words += (words.empty() ? "" : " ") + (is_long ? "--" + option.long_name : "-" + option.short_name);
                for (const std::string& other : option.other_names) words += " --" + other;
            }
            options += words + "' is_option=yes ;;\n";
        }
    }
    return "# Completions of warpseq for bash; printed by: warpseq completion bash\n"
           "_warpseq() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} words= is_option=\n"
           "    COMPREPLY=()\n"
           "    case $COMP_CWORD:${COMP_WORDS[1]}:${COMP_WORDS[2]} in\n"
           "        1:*) words='" +
           first + "' ;;\n        2:completion:*) words='" + std::string(kShells) + "' ;;\n" + second + options +
           "    esac\n"
           "    [[ $is_option && $word != -* ]] && return  # file names, which bash completes\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
           "}\n"
           "complete -o default -F _warpseq warpseq\n";
}

/// Returns one argument for _arguments.
std::string zsh_argument(const ListedOption& option) {
    const std::string help = "[" + escaped_for_zsh(option.help) + "]";
    const std::string value =
        option.takes_value ? ":" + escaped_for_zsh(option.argument.empty() ? "value" : option.argument) + ":_files"
                           : "";
    std::string text;
    const auto add = [&](const std::string& name) {
        text += " \\\n            " + in_quotes("*" + name + help + value);
    };
    if (!option.long_name.empty()) add("--" + option.long_name + (option.takes_value ? "=" : ""));
    for (const std::string& other : option.other_names) add("--" + other + (option.takes_value ? "=" : ""));
    const bool is_letter = option.short_name.size() == 1;  // its value may be attached to it
    if (!option.short_name.empty()) add("-" + option.short_name + (option.takes_value && is_letter ? "+" : ""));
    return text;
}

std::string zsh_script(const std::vector<Described>& programs) {
    std::string text =
        "#compdef warpseq\n"
        "# Completions of warpseq for zsh; printed by: warpseq completion zsh\n"
        "_warpseq() {\n"
        "    local -a commands\n"
        "    if (( CURRENT == 2 )); then\n"
        "        commands=(";
    const auto add = [&](std::string_view name, std::string_view help) {
        text += "\n            " + in_quotes(escaped_for_zsh(name) + ":" + escaped_for_zsh(help));
    };
    for (const auto& [command, syntax] : programs) add(command.name, command.help);
    for (const Word& word : kWords) add(word.name, word.help);
    text += ")\n        _describe command commands\n        return\n    fi\n    case $CURRENT:$words[2]:$words[3] in\n";
    text += "        3:completion:*) compadd -- " + std::string(kShells) + " ;;\n";
    for (const Described& program : programs) {
        const std::string name(program.command.name);
        if (program.has_commands())
            text += "        3:" + name + ":*) compadd -- " + names_of(program.syntax) + " --help --version ;;\n";
        for (const CommandSyntax& each : program.syntax) {
            const bool is_own = each.name.empty();
            text += "        *:" + name + ":" + (is_own ? "*" : each.name) + ")\n            shift " +
                    (is_own ? "1" : "2") + " words; (( CURRENT -= " + (is_own ? "1" : "2") +
                    " ))\n            _arguments";
            for (const ListedOption& option : each.options) text += zsh_argument(option);
            text += " \\\n            '*:file:_files' ;;\n";
        }
    }
    return text + "        *) _files ;;\n    esac\n}\n_warpseq \"$@\"\n";
}

std::string fish_script(const std::vector<Described>& programs) {
    std::string text = "# Completions of warpseq for fish; printed by: warpseq completion fish\n";
    const auto add = [&](const std::string& condition, const std::string& what, std::string_view help) {
        text += "complete -c warpseq -n '" + condition + "' " + what +
                (help.empty() ? "" : " -d " + in_quotes(help, true)) + "\n";
    };
    const auto seen = [](const std::string& words) { return "__fish_seen_subcommand_from " + words; };
    for (const auto& [command, syntax] : programs)
        add("__fish_use_subcommand", "-f -a " + std::string(command.name), command.help);
    for (const Word& word : kWords) {
        const bool is_option = word.name.starts_with("--");
        add("__fish_use_subcommand",
            is_option ? "-l " + std::string(word.name.substr(2)) : "-f -a " + std::string(word.name), word.help);
    }
    add(seen("completion"), "-f -a '" + std::string(kShells) + "'", "");
    for (const Described& program : programs) {
        const std::string name(program.command.name);
        const std::string names = names_of(program.syntax);
        if (program.has_commands()) add(seen(name) + "; and not " + seen(names), "-f -a '" + names + "'", "");
        for (const CommandSyntax& each : program.syntax) {
            const std::string condition = each.name.empty() ? seen(name) : seen(name) + "; and " + seen(each.name);
            for (const ListedOption& option : each.options) {
                std::string what;
                const bool is_letter = option.short_name.size() == 1;
                if (!option.short_name.empty()) what += (is_letter ? "-s " : "-o ") + option.short_name + " ";
                if (!option.long_name.empty()) what += "-l " + option.long_name + " ";
                for (const std::string& other : option.other_names) what += "-l " + other + " ";
                add(condition, what + (option.takes_value ? "-r" : ""), option.help);
            }
        }
    }
    return text;
}

}  // namespace

Result<std::string> completion_script(std::string_view shell, std::span<const WarpseqCommand> commands) {
    std::vector<Described> programs;
    for (const WarpseqCommand& command : commands) programs.push_back({command, command.syntax()});
    if (shell == "bash") return bash_script(programs);
    if (shell == "zsh") return zsh_script(programs);
    if (shell == "fish") return fish_script(programs);
    return Status::usage(shell.empty() ? "name a shell: bash, zsh or fish"
                                       : "unknown shell '" + std::string(shell) + "'; there are bash, zsh and fish");
}

}  // namespace warpseq
