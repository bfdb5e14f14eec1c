#include "options/blast_options.h"

#include <getopt.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "libcore/base/version.h"
#include "options/arguments.h"

namespace warpseq {
namespace {

constexpr std::size_t kColumns = 78;

/// Adds words in lines of at most kColumns. The first line begins with `first`, the others with
/// `margin`.
void add_wrapped(std::string_view first, std::string_view margin, const std::vector<std::string>& words,
                 std::string& out) {
    std::string line(first);
    bool is_empty = true;
    for (const std::string& word : words) {
        if (!is_empty && line.size() + 1 + word.size() > kColumns) {
            out += line + "\n";
            line = margin;
            is_empty = true;
        }
        if (!is_empty) line += ' ';
        line += word;
        is_empty = false;
    }
    out += line + "\n";
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (end > 0) words.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

std::string usage(const BlastProgram& program) {
    std::vector<std::string> words = {"[-h]", "[-help]"};
    for (const OptionRow& option : program.rows) {
        std::string word = "-" + std::string(option.blast.name);
        if (option.blast.argument != nullptr) word += " " + std::string(option.blast.argument);
        words.push_back(option.blast.is_mandatory ? word : "[" + word + "]");
    }
    words.emplace_back("[-version]");
    std::string text = "USAGE\n";
    add_wrapped("  " + std::string(program.name) + " ", "    ", words, text);
    return text + "\nDESCRIPTION\n   " + program.description + "\n\n";
}

constexpr std::string_view kMoreHelp = "Use '-help' to print detailed descriptions of command line arguments\n";

/// Returns the type of an option's value, such as "Integer, >=1".
std::string type_of(const OptionRow& option) {
    std::string type;
    switch (option.type) {
        case OptionType::kFlag: return "";
        case OptionType::kTexts:
        case OptionType::kText: type = "String"; break;
        case OptionType::kFile:
        case OptionType::kFileIn: type = "File_In"; break;
        case OptionType::kFileOut: type = "File_Out"; break;
        case OptionType::kInteger: type = "Integer"; break;
        case OptionType::kInteger8: type = "Int8"; break;
        case OptionType::kReal: type = "Real"; break;
        case OptionType::kBoolean: type = "Boolean"; break;
    }
    if (!option.range.text.empty()) type += ", " + std::string(option.range.text);
    if (option.choices != nullptr) type += ", " + std::string(option.choices);
    return type;
}

void add_help_of(const OptionRow& option, std::string& out) {
    out += " -" + std::string(option.blast.name);
    if (option.type != OptionType::kFlag) out += " <" + type_of(option) + ">";
    out += '\n';
    std::string_view help = option.blast.help;
    while (!help.empty()) {
        const std::size_t end = std::min(help.find('\n'), help.size());
        out += "   " + std::string(help.substr(0, end)) + "\n";
        help.remove_prefix(std::min(end + 1, help.size()));
    }
    if (!option.is_supported) out += "   warpseq: not supported\n";
    if (option.standard != nullptr) out += "   Default = `" + std::string(option.standard) + "'\n";
    const auto add_names = [&](std::string_view heading, std::string_view names) {
        std::vector<std::string> words = words_of(names);
        if (words.empty()) return;
        for (std::size_t i = 0; i + 1 < words.size(); ++i) words[i] += ",";
        add_wrapped("    * " + std::string(heading) + "  ", "   ", words, out);
    };
    add_names("Requires:", option.needs);
    add_names("Incompatible with:", option.excludes);
}

std::string help(const BlastProgram& program) {
    std::string text = usage(program);
    const auto add_options = [&](bool mandatory, std::string_view group) {
        for (const OptionRow& option : program.rows)
            if (option.blast.is_mandatory == mandatory && option.blast.group == group) add_help_of(option, text);
    };
    if (std::ranges::any_of(program.rows, [](const OptionRow& option) { return option.blast.is_mandatory; })) {
        text += "REQUIRED ARGUMENTS\n";
        for (const char* group : program.groups) add_options(true, group);
        text += '\n';
    }
    text +=
        "OPTIONAL ARGUMENTS\n"
        " -h\n   Print usage and description; nothing else counts\n"
        " -help\n   Print usage, description and all options; nothing else counts\n"
        " -version\n   Print the version; nothing else counts\n";
    for (const char* group : program.groups) {
        if (std::ranges::none_of(program.rows, [&](const OptionRow& option) {
                return !option.blast.is_mandatory && std::string_view(option.blast.group) == group;
            }))
            continue;
        text += "\n *** " + std::string(group) + "\n";
        add_options(false, group);
    }
    return text + "\n";
}

std::string version(const BlastProgram& program) {
    return std::string(program.name) + ": 2.12.0+\n Package: warpseq " + std::string(program_version()) +
           ", which stands in for NCBI BLAST+ 2.12.0\n";
}

/// Returns the ending for an error in the command line: the usage, then `first`, then the message.
BlastEnding wrong_arguments(const BlastProgram& program, const std::string& category, const std::string& message,
                            const std::string& first = "") {
    return {.error = usage(program) + std::string(kMoreHelp) + std::string(72, '=') + "\n\n" + first +
                     "Error: " + message + "\nError:  (CArgException::" + category + ") " + message};
}

/// Returns a text as NCBI's messages show it, with C's escapes for characters that do not print.
std::string printable(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        constexpr std::string_view kControls = "\a\b\t\n\v\f\r", kLetters = "abtnvfr";
        if (const std::size_t control = kControls.find(c); control != std::string_view::npos) {
            out += {'\\', kLetters[control]};
        } else if (c == '\\' || c == '"' || c == '\'') {
            out += {'\\', c};
        } else if (code < 0x20 || code >= 0x7f) {
            char octal[8];
            std::snprintf(octal, sizeof octal, "\\%03o", code);
            out += octal;
        } else {
            out += c;
        }
    }
    return out;
}

std::string cannot_convert(std::string_view value, std::string_view to, std::size_t place) {
    return "Cannot convert string '" + printable(value) + "' to " + std::string(to) +
           " (m_Pos = " + std::to_string(place) + ")";
}

/// Whether a number ends where an exponent or hexadecimal digits are missing.
bool has_bare_end(std::string_view value) {
    return !value.empty() && std::string_view("eExX").find(value.back()) != std::string_view::npos;
}

/// Returns the whole number in a text as BLAST+ reads it: "0x" is 0. If the text is no number it
/// returns nothing, and `wrong` says why.
std::optional<std::int64_t> blast_integer(const std::string& value, std::string& wrong) {
    const bool is_hexadecimal = value.starts_with("0x") || value.starts_with("0X");
    if (is_hexadecimal && value.size() == 2) return 0;
    if (const auto number = whole_number_of(value)) return number;
    // The message has the place of the first character that is no digit, or of the first digit with
    // which the number is too large.
    const bool is_negative = value.starts_with('-');
    const std::uint64_t base = is_hexadecimal ? 16 : 10;
    const std::uint64_t most = (std::uint64_t{1} << 63) - (is_negative ? 0 : 1);
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::uint64_t number = 0;
    std::size_t at = is_hexadecimal ? 2 : is_negative || value.starts_with('+') ? 1 : 0;
    for (; at < value.size(); ++at) {
        const std::uint64_t digit =
            kDigits.find(static_cast<char>(std::tolower(static_cast<unsigned char>(value[at]))));
        if (digit >= base) break;
        if (number > (most - digit) / base) {
            wrong = cannot_convert(value, "Int8, overflow", at);
            return {};
        }
        number = number * base + digit;
    }
    wrong = cannot_convert(value, "Int8", at);
    return {};
}

/// Returns the number in a text as BLAST+ reads it: "1e" is 1, and "inf" is no number.
std::optional<double> blast_real(const std::string& value, std::string& wrong) {
    std::string text = value;
    if (text.size() > 1 && (text.back() == 'e' || text.back() == 'E') &&
        text.find_first_not_of("+-.0123456789") == text.size() - 1)
        text.pop_back();
    const bool has_digit = text.find_first_of("0123456789") != std::string::npos;
    if (const auto number = number_of(text); number && has_digit) return number;
    // The message has the place up to which C's strtod() reads a number.
    const std::size_t sign = value.starts_with('-') || value.starts_with('+') ? 1 : 0;
    const bool begins_as_number = value.find_first_of(".0123456789", sign) == sign;
    char* end = nullptr;
    std::strtod(value.c_str(), &end);
    wrong = cannot_convert(value, "double", begins_as_number ? static_cast<std::size_t>(end - value.c_str()) : 0);
    return {};
}

/// Checks the value of an option. Returns the ending that it causes, or nothing if the value is
/// sound.
std::optional<BlastEnding> check_value(const BlastProgram& program, const OptionRow& option, const std::string& value) {
    const std::string argument = "Argument \"" + std::string(option.blast.name) + "\". ";
    const std::string shown_value = value.empty() ? "" : ":  `" + value + "'";
    const auto no_conversion = [&](const std::string& why) {
        return wrong_arguments(program, "eConvert", argument + "Argument cannot be converted" + shown_value,
                               "Error: " + why + "\n");
    };
    std::optional<double> number;
    std::string wrong;
    if (option.type == OptionType::kInteger || option.type == OptionType::kInteger8) {
        const auto whole = blast_integer(value, wrong);
        if (!whole) return no_conversion(wrong);
        const bool fits = option.type == OptionType::kInteger8 || (*whole <= 2'147'483'647 && *whole >= -2'147'483'648);
        if (!fits)
            return wrong_arguments(program, "eConvert", argument + "Integer value is out of range:  `" + value + "'");
        number = static_cast<double>(*whole);
    } else if (option.type == OptionType::kReal) {
        number = blast_real(value, wrong);
        if (!number) return no_conversion(wrong);
    } else if (option.type == OptionType::kBoolean) {
        std::string lower = value;
        std::ranges::transform(lower, lower.begin(),
                               [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        constexpr std::string_view kKnown[] = {"true", "t", "yes", "y", "1", "false", "f", "no", "n", "0"};
        if (std::ranges::find(kKnown, lower) == std::end(kKnown))
            return no_conversion("String cannot be converted to bool (m_Pos = 0)");
    }
    const auto illegal = [&](const std::string& expected) {
        return wrong_arguments(program, "eConstraint", argument + "Illegal value, expected " + expected + shown_value);
    };
    if (number && !option.range.text.empty()) {
        const OptionRange& range = option.range;
        // A number with a bare "e" or "x" at its end is an error, except for ranges like "0..100".
        const bool is_strict = range.text.find("..") == std::string_view::npos;
        if (is_strict && has_bare_end(value)) return illegal(std::string(range.text));
        if (!range.has(*number)) return illegal(std::string(range.text));
    }
    if (option.choices != nullptr) {
        const std::string choices = option.choices;
        const bool is_known = !value.empty() && value.find('\'') == std::string::npos &&
                              (choices.find("'" + value + "'") != std::string::npos ||
                               choices.find("`" + value + "'") != std::string::npos);
        if (!is_known) return illegal(choices);
    }
    return {};
}

}  // namespace

std::string BlastArguments::text(const std::string& name) const {
    if (const auto found = values_.find(name); found != values_.end()) return found->second;
    const auto option =
        std::ranges::find_if(program_->rows, [&](const OptionRow& each) { return name == each.blast.name; });
    return option != program_->rows.end() && option->standard != nullptr ? option->standard : "";
}

BlastArguments parse_blast_arguments(const BlastProgram& program, int argc, char** argv) {
    BlastArguments arguments;
    arguments.program_ = &program;
    const auto end_with = [&](BlastEnding ending) {
        arguments.ending = std::move(ending);
        return arguments;
    };
    // -version counts wherever it stands on the command line.
    for (int i = 1; i < argc; ++i)
        if (std::string_view(argv[i]) == "-version") return end_with(BlastEnding{.output = version(program)});

    constexpr std::string_view kHelpNames[] = {"h", "help"};
    std::vector<option> table;
    for (const std::string_view name : kHelpNames) table.push_back({name.data(), no_argument, nullptr, 0});
    for (const OptionRow& each : program.rows)
        // A flag may be given with a value behind '=', which does not count.
        table.push_back(
            {each.blast.name, each.type == OptionType::kFlag ? optional_argument : required_argument, nullptr, 0});
    table.push_back({});
    opterr = 0;
    optind = 0;
    int positional = 0;
    for (;;) {
        // '-' makes getopt return arguments that are no options in their turn.
        const std::string word = std::max(optind, 1) < argc ? argv[std::max(optind, 1)] : "";
        int index = -1;
        const int found = getopt_long_only(argc, argv, "-:", table.data(), &index);
        const auto too_many = [&](const std::string& text) {
            return wrong_arguments(
                program, "eSynopsis",
                "Too many positional arguments (" + std::to_string(positional) + "), the offending value: " + text);
        };
        if (found == -1) {
            if (optind >= argc) break;
            ++positional;
            return end_with(too_many(argv[optind]));
        }
        if (found == 1) {
            ++positional;
            return end_with(too_many(optarg));
        }
        const std::string name = word.substr(1, word.find('=') == std::string::npos ? word.npos : word.find('=') - 1);
        if (found == ':') {
            const bool is_exact =
                std::ranges::any_of(program.rows, [&](const OptionRow& each) { return name == each.blast.name; });
            if (is_exact)
                return end_with(wrong_arguments(program, "eNoArg", "Argument \"-" + name + "\". Value is missing"));
        }
        if (name.empty() && word.starts_with("-="))
            return end_with(
                wrong_arguments(program, "eInvalidArg", "Unexpected extra argument, at position # 4294967295"));
        // getopt accepts two dashes and abbreviations. BLAST+ does not.
        if (found != 0 || name != table[static_cast<std::size_t>(index)].name)
            return end_with(wrong_arguments(program, "eInvalidArg", "Unknown argument: \"" + name + "\""));
        if (name == "h") return end_with(BlastEnding{.output = usage(program) + std::string(kMoreHelp)});
        if (name == "help") return end_with(BlastEnding{.output = help(program)});
        const OptionRow& option = program.rows[static_cast<std::size_t>(index) - std::size(kHelpNames)];
        const std::string value = option.type == OptionType::kFlag ? "" : optarg;
        if (auto ending = check_value(program, option, value)) return end_with(*std::move(ending));
        if (arguments.has(name)) {
            return end_with(
                wrong_arguments(program, "eSynopsis", "Argument with this name is defined already: " + name));
        }
        // A bare "e" or "x" at the end of a number is dropped, because other parsers would not read
        // it as a number.
        const bool is_number = option.type == OptionType::kInteger || option.type == OptionType::kInteger8 ||
                               option.type == OptionType::kReal;
        arguments.values_[name] = is_number && has_bare_end(value) ? value.substr(0, value.size() - 1) : value;
    }
    for (const OptionRow& option : program.rows) {
        if (!option.blast.is_mandatory || arguments.has(option.blast.name)) continue;
        return end_with(wrong_arguments(program, "eNoArg",
                                        "Argument \"" + std::string(option.blast.name) +
                                            "\". Mandatory value is missing:  `" + type_of(option) + "'"));
    }
    std::vector<const OptionRow*> given;
    for (const OptionRow& option : program.rows)
        if (arguments.has(option.blast.name)) given.push_back(&option);
    // BLAST+ goes through the options by name. If two exclude each other, it names the later one
    // first.
    std::ranges::sort(given, {}, [](const OptionRow* option) { return std::string_view(option->blast.name); });
    std::map<std::string, std::string> needs;
    for (const OptionRow* option : given) {
        for (const std::string& other : words_of(option->excludes)) {
            if (!arguments.has(other)) continue;
            return end_with(wrong_arguments(
                program, "eConstraint",
                "Argument \"" + other + "\". Incompatible with argument:  `" + std::string(option->blast.name) + "'"));
        }
        for (const std::string& needed : words_of(option->needs)) needs.emplace(needed, option->blast.name);
    }
    // Missing options are told in the order of the rows.
    for (const OptionRow& option : program.rows) {
        const auto needed = needs.find(option.blast.name);
        if (needed == needs.end() || arguments.has(needed->first)) continue;
        return end_with(wrong_arguments(program, "eConstraint",
                                        "Argument \"" + needed->first + "\". Must be specified, as it is required by " +
                                            "argument:  `" + needed->second + "'"));
    }
    return arguments;
}

std::string blast_cannot_convert(std::string_view value, std::string_view to, std::size_t place) {
    return cannot_convert(value, to, place);
}

std::vector<ListedOption> blast_listed(const BlastProgram& program) {
    std::vector<ListedOption> all;
    for (const OptionRow& option : program.rows) {
        if (!option.is_supported) continue;
        const std::string help = option.blast.help;
        const bool takes_value = option.blast.argument != nullptr;
        all.push_back({.short_name = option.blast.name,
                       .help = help.substr(0, help.find('\n')),
                       .takes_value = takes_value,
                       .argument = takes_value ? option.blast.argument : ""});
    }
    return all;
}

}  // namespace warpseq
