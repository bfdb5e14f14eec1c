#include "options/easel_options.h"

#include <getopt.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdlib>

namespace warpseq {
namespace {

using Kind = EaselOption::Kind;

/// Messages show so much of a word.
constexpr std::size_t kShownCharacters = 24;
/// getopt_long() returns this and the option's place in the table.
constexpr int kFirstLongOption = 256;
/// Of a line of the help: 80, but Easel does not count " :".
constexpr std::size_t kHelpColumns = 82;

std::string shown(std::string_view word) { return std::string(word.substr(0, kShownCharacters)); }

bool is_long(const EaselOption& option) { return option.name.starts_with("--"); }

/// A number around which blanks may stand, and nothing else.
template <typename Convert>
auto whole_text(const std::string& text, Convert convert) -> std::optional<decltype(convert(nullptr, nullptr))> {
    char* end = nullptr;
    const auto number = convert(text.c_str(), &end);
    if (end == text.c_str()) return std::nullopt;
    while (*end == ' ' || *end == '\t') ++end;
    if (*end != '\0') return std::nullopt;
    return number;
}

std::optional<double> real_of(const std::string& text) {
    return whole_text(text, [](const char* begin, char** end) { return std::strtod(begin, end); });
}

/// Decimal; beyond 32 bits it wraps around, as HMMER's do.
std::optional<int> integer_of(const std::string& text) {
    const auto number = whole_text(text, [](const char* begin, char** end) { return std::strtoll(begin, end, 10); });
    if (!number) return std::nullopt;
    return static_cast<int>(static_cast<unsigned>(*number));
}

bool fits(const EaselRange& range, double value) {
    if (range.text.empty()) return true;
    const bool above = range.without_least ? value > range.least : value >= range.least;
    const bool below = range.without_most ? value < range.most : value <= range.most;
    return above && below;  // neither for NaN
}

/// Checks `value`, and brings an integer into its plain form. `where` is "on cmdline" or "in env".
Status check_value(const EaselOption& option, std::string& value, const std::string& where) {
    if (option.kind != Kind::kInteger && option.kind != Kind::kReal) return {};
    const bool is_integer = option.kind == Kind::kInteger;
    const std::string takes = std::string(option.name) + " takes " + (is_integer ? "integer" : "real-valued") + " arg";
    const std::string got = "; got " + shown(value) + " " + where;
    double number = 0;
    if (is_integer) {
        const auto integer = integer_of(value);
        if (!integer) return Status::usage("Option " + takes + got);
        number = *integer;
    } else {
        const auto real = real_of(value);
        if (!real) return Status::usage("Option " + takes + got);
        number = *real;
    }
    if (!fits(option.range, number)) {
        return Status::usage((is_integer ? "option " : "Option ") + takes + " in range " +
                             std::string(option.range.text) + got);
    }
    if (is_integer) value = std::to_string(static_cast<int>(number));
    return {};
}

/// What getopt_long() has no entry for.
Status unknown_option(std::span<const EaselOption* const> options, int character, const char* word) {
    if (character != 0) return Status::usage(std::string("No such option \"-") + static_cast<char>(character) + "\".");
    const std::string_view given = word;
    const std::string_view name = given.substr(0, given.find('='));
    const bool ambiguous = std::ranges::any_of(
        options, [&](const EaselOption* option) { return is_long(*option) && option->name.starts_with(name); });
    return Status::usage(ambiguous ? "Abbreviated option \"" + shown(given) + "\" is ambiguous."
                                   : "No such option \"" + shown(given) + "\".");
}

/// Of a list that commas separate.
std::vector<std::string_view> names_in(std::string_view list) {
    std::vector<std::string_view> names;
    while (!list.empty()) {
        names.push_back(list.substr(0, list.find(',')));
        list.remove_prefix(std::min(list.size(), names.back().size() + 1));
    }
    return names;
}

/// Whether switches are on, as options that toggle each other leave them.
class Toggles {
   public:
    explicit Toggles(const std::vector<const EaselOption*>& options) : options_(options) {
        for (const EaselOption* option : options) on_.push_back(option->standard == "default");
    }

    /// An option is set on the command line, by itself or because another one turns it off. `set`
    /// says of each whether it has been.
    Status set(std::size_t i, std::vector<bool>& set) {
        on_[i] = true;
        for (const std::string_view name : names_in(options_[i]->toggles)) {
            const auto found = std::ranges::find(options_, name, &EaselOption::name);
            const auto other = static_cast<std::size_t>(found - options_.begin());
            if (other == i || !on_[other]) continue;
            if (set[other]) {
                return Status::usage("Options " + shown(options_[other]->name) + " and " + shown(options_[i]->name) +
                                     " conflict, toggling each other.");
            }
            set[other] = true;
            on_[other] = false;
        }
        return {};
    }
    bool is_on(std::string_view name) const {
        const auto found = std::ranges::find(options_, name, &EaselOption::name);
        return on_[static_cast<std::size_t>(found - options_.begin())];
    }

   private:
    const std::vector<const EaselOption*>& options_;
    std::vector<bool> on_;
};

Status check_needs(const EaselArguments& arguments, const Toggles& toggles) {
    for (const EaselArguments::Given& given : arguments.given()) {
        for (const std::string_view name : names_in(given.option->needs)) {
            if (toggles.is_on(name)) continue;
            return Status::usage("Option " + shown(given.option->name) +
                                 " requires (or has no effect without) option(s) " + shown(given.option->needs));
        }
    }
    return {};
}

Status check_exclusions(const EaselArguments& arguments) {
    for (const EaselArguments::Given& given : arguments.given()) {
        for (const std::string_view name : names_in(given.option->excludes)) {
            if (name != given.option->name && arguments.has(name)) {
                return Status::usage("Option " + shown(given.option->name) + " is incompatible with option(s) " +
                                     shown(given.option->excludes));
            }
        }
    }
    return {};
}

std::string with_argument(const EaselOption& option) {
    std::string text(option.name);
    switch (option.kind) {
        case Kind::kSwitch: break;
        case Kind::kInteger: text += " <n>"; break;
        case Kind::kReal: text += " <x>"; break;
        case Kind::kText: text += " <s>"; break;
        case Kind::kFile: text += " <f>"; break;
    }
    return text;
}

}  // namespace

std::optional<std::string> EaselArguments::value(std::string_view name) const {
    for (const Given& given : given_)
        if (given.option->name == name) return given.value;
    return std::nullopt;
}

Result<EaselArguments> read_easel_arguments(std::span<const EaselGroup> groups, int argc, char** argv,
                                            std::string_view before_message) {
    std::vector<const EaselOption*> options;
    for (const EaselGroup& group : groups)
        for (const EaselOption& option : group.options) options.push_back(&option);
    std::vector<std::optional<std::string>> values(options.size());
    std::vector<bool> on_command_line(options.size());
    Toggles toggles(options);
    for (std::size_t i = 0; i < options.size(); ++i) {
        if (options[i]->environment_name == nullptr) continue;
        const char* const text = std::getenv(options[i]->environment_name);
        if (text == nullptr) continue;
        values[i] = text;
        if (const Status status = check_value(*options[i], *values[i], "in env"); !status.ok())
            return Status::usage("Failed to process environment:" + std::string(before_message) + status.message());
    }

    std::string letters = "+:";  // stops at the first argument; a missing value is ':'
    std::vector<option> long_options;
    std::vector<std::string> long_names(options.size());
    for (std::size_t i = 0; i < options.size(); ++i) {
        const bool takes_value = options[i]->kind != Kind::kSwitch;
        if (is_long(*options[i])) {
            long_names[i] = options[i]->name.substr(2);
            long_options.push_back({long_names[i].c_str(), takes_value ? required_argument : no_argument, nullptr,
                                    kFirstLongOption + static_cast<int>(i)});
        } else {
            letters += options[i]->name[1];
            if (takes_value) letters += ':';
        }
    }
    long_options.push_back({});
    const auto index_of = [&](int code) -> std::size_t {
        if (code >= kFirstLongOption) return static_cast<std::size_t>(code - kFirstLongOption);
        const std::string name{'-', static_cast<char>(code)};
        return static_cast<std::size_t>(std::ranges::find(options, name, &EaselOption::name) - options.begin());
    };
    const auto fail = [before_message](const Status& status) {
        return Status::usage("Failed to parse command line:" + std::string(before_message) + status.message());
    };

    optind = 0;  // afresh
    opterr = 0;
    for (;;) {
        const int code = getopt_long(argc, argv, letters.c_str(), long_options.data(), nullptr);
        if (code == -1) break;
        if (code == '?') {
            if (optopt < kFirstLongOption) return fail(unknown_option(options, optopt, argv[optind - 1]));
            return fail(
                Status::usage("Option " + shown(options[index_of(optopt)]->name) + " does not take an argument."));
        }
        if (code == ':') {
            const EaselOption& option = *options[index_of(optopt)];
            return fail(
                Status::usage("Option " + shown(option.name) + " requires an argument" + (is_long(option) ? "." : "")));
        }
        const std::size_t i = index_of(code);
        const EaselOption& option = *options[i];
        if (on_command_line[i])
            return fail(Status::usage("Option " + shown(option.name) + " has already been set on cmdline."));
        on_command_line[i] = true;
        values[i] = option.kind == Kind::kSwitch ? "" : optarg;
        const bool is_next_word = option.kind != Kind::kSwitch && optarg == argv[optind - 1];
        if (is_next_word && (option.kind == Kind::kText || option.kind == Kind::kFile) && optarg[0] == '-') {
            return fail(Status::usage("Arg looks like option? Use " + shown(option.name) +
                                      (is_long(option) ? "=" : "") + shown(optarg) + " if you really mean it."));
        }
        if (const Status status = check_value(option, *values[i], "on cmdline"); !status.ok()) return fail(status);
        if (const Status status = toggles.set(i, on_command_line); !status.ok()) return fail(status);
    }

    EaselArguments arguments;
    for (std::size_t i = 0; i < options.size(); ++i)
        if (values[i]) arguments.given_.push_back({options[i], *values[i]});
    arguments.positional_.assign(argv + optind, argv + argc);
    if (const Status status = check_needs(arguments, toggles); !status.ok()) return fail(status);
    if (const Status status = check_exclusions(arguments); !status.ok()) return fail(status);
    return arguments;
}

std::string easel_help(std::span<const EaselOption> options) {
    std::size_t width = 0;
    for (const EaselOption& option : options) width = std::max(width, with_argument(option).size());
    bool is_too_long = false;
    const auto lines = [&](bool with_standards, bool with_ranges) {
        is_too_long = false;
        std::vector<std::string> all;
        for (const EaselOption& option : options) {
            std::string line = "  " + with_argument(option);
            line.resize(width + 2, ' ');
            line += " : " + std::string(option.help);
            if (with_standards && !option.standard.empty()) line += "  [" + std::string(option.standard) + "]";
            if (with_ranges && !option.range.text.empty()) line += "  (" + std::string(option.range.text) + ")";
            is_too_long = is_too_long || line.size() > kHelpColumns;
            all.push_back(std::move(line));
        }
        return all;
    };
    std::vector<std::string> chosen = lines(true, true);
    if (is_too_long) chosen = lines(true, false);
    if (is_too_long) chosen = lines(false, false);
    std::string text;
    for (const std::string& line : chosen) text += line + "\n";
    return text;
}

std::vector<ListedOption> easel_listed(std::span<const EaselGroup> groups) {
    std::vector<ListedOption> all;
    for (const EaselGroup& group : groups) {
        if (group.title.empty()) continue;
        for (const EaselOption& option : group.options) {
            ListedOption listed{.help = std::string(option.help)};
            const bool is_long = option.name.starts_with("--");
            (is_long ? listed.long_name : listed.short_name) = option.name.substr(is_long ? 2 : 1);
            listed.takes_value = option.kind != EaselOption::Kind::kSwitch;
            if (listed.takes_value) listed.argument = option.kind == EaselOption::Kind::kFile ? "FILE" : "VALUE";
            all.push_back(std::move(listed));
        }
    }
    return all;
}

}  // namespace warpseq
