#include "options/easel_options.h"

#include <getopt.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace warpseq {
namespace {

/// The number of characters of a word that messages show.
constexpr std::size_t kShownCharacters = 24;
/// The sum of this and the option's place in the table is what getopt_long() returns.
constexpr int kFirstLongOption = 256;
/// Width of a line of the help. Easel says 80, but does not count " :".
constexpr std::size_t kHelpColumns = 82;
constexpr const char* kBlanks = " \t\n\v\f\r";

std::string shown(std::string_view word) { return std::string(word.substr(0, kShownCharacters)); }

bool is_long(const OptionRow& option) { return option.easel.name.starts_with("--"); }

/// Returns the number that a text holds, perhaps with blanks around it. Returns nothing if it holds
/// anything else.
template <typename Convert>
auto whole_text(const std::string& text, Convert convert) -> std::optional<decltype(convert(nullptr, nullptr))> {
    char* end = nullptr;
    const auto number = convert(text.c_str(), &end);
    if (end == text.c_str()) return std::nullopt;
    end += std::strspn(end, kBlanks);
    if (*end != '\0') return std::nullopt;
    return number;
}

std::optional<double> real_of(const std::string& text) {
    return whole_text(text, [](const char* begin, char** end) { return std::strtod(begin, end); });
}

/// Returns a decimal number. Beyond 32 bits it wraps around, as in HMMER.
std::optional<int> integer_of(const std::string& text) {
    const auto number = whole_text(text, [](const char* begin, char** end) { return std::strtoll(begin, end, 10); });
    if (!number) return std::nullopt;
    return static_cast<int>(static_cast<unsigned>(*number));
}

/// Returns an option's name; a projection for searches by name.
std::string_view easel_name(const OptionRow* option) { return option->easel.name; }

/// Returns the default that the help shows; empty if it shows none.
std::string_view shown_standard(const OptionRow& option) {
    if (option.is_on) return "default";
    return option.standard == nullptr ? std::string_view() : option.standard;
}

/// Checks `value` and rewrites an integer in its plain form. `where` is "on cmdline" or "in env".
Status check_value(const OptionRow& option, std::string& value, const std::string& where) {
    if (option.type != OptionType::kInteger && option.type != OptionType::kReal) return {};
    const bool is_integer = option.type == OptionType::kInteger;
    const std::string takes =
        std::string(option.easel.name) + " takes " + (is_integer ? "integer" : "real-valued") + " arg";
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
    if (!option.range.text.empty() && !option.range.has(number)) {
        return Status::usage((is_integer ? "option " : "Option ") + takes + " in range " +
                             std::string(option.range.text) + got);
    }
    if (is_integer) value = std::to_string(static_cast<int>(number));
    return {};
}

/// Returns the error for an option that getopt_long() does not know.
Status unknown_option(std::span<const OptionRow* const> options, int character, const char* word) {
    if (character != 0) return Status::usage(std::string("No such option \"-") + static_cast<char>(character) + "\".");
    const std::string_view given = word;
    const std::string_view name = given.substr(0, given.find('='));
    const bool ambiguous = std::ranges::any_of(
        options, [&](const OptionRow* option) { return is_long(*option) && option->easel.name.starts_with(name); });
    return Status::usage(ambiguous ? "Abbreviated option \"" + shown(given) + "\" is ambiguous."
                                   : "No such option \"" + shown(given) + "\".");
}

/// Returns the names in a list that commas separate.
std::vector<std::string_view> names_in(std::string_view list) {
    std::vector<std::string_view> names;
    while (!list.empty()) {
        names.push_back(list.substr(0, list.find(',')));
        list.remove_prefix(std::min(list.size(), names.back().size() + 1));
    }
    return names;
}

/// The states of switches, some of which toggle each other.
class Toggles {
   public:
    explicit Toggles(const std::vector<const OptionRow*>& options) : options_(options) {
        for (const OptionRow* option : options) on_.push_back(option->is_on);
    }

    /// Turns an option on, and those off that it toggles. `set` says of each option whether the
    /// command line has set it, by itself or by such a toggle.
    Status set(std::size_t i, std::vector<bool>& set) {
        on_[i] = true;
        for (const std::string_view name : names_in(options_[i]->toggles)) {
            const auto found = std::ranges::find(options_, name, easel_name);
            const auto other = static_cast<std::size_t>(found - options_.begin());
            if (other == i || !on_[other]) continue;
            if (set[other]) {
                return Status::usage("Options " + shown(options_[other]->easel.name) + " and " +
                                     shown(options_[i]->easel.name) + " conflict, toggling each other.");
            }
            set[other] = true;
            on_[other] = false;
        }
        return {};
    }
    bool is_on(std::string_view name) const {
        const auto found = std::ranges::find(options_, name, easel_name);
        return on_[static_cast<std::size_t>(found - options_.begin())];
    }

   private:
    const std::vector<const OptionRow*>& options_;
    std::vector<bool> on_;
};

Status check_needs(const EaselArguments& arguments, const Toggles& toggles) {
    for (const EaselArguments::Given& given : arguments.given()) {
        for (const std::string_view name : names_in(given.option->needs)) {
            if (toggles.is_on(name)) continue;
            return Status::usage("Option " + shown(given.option->easel.name) +
                                 " requires (or has no effect without) option(s) " + shown(given.option->needs));
        }
    }
    return {};
}

Status check_exclusions(const EaselArguments& arguments) {
    for (const EaselArguments::Given& given : arguments.given()) {
        for (const std::string_view name : names_in(given.option->excludes)) {
            if (name != given.option->easel.name && arguments.has(name)) {
                return Status::usage("Option " + shown(given.option->easel.name) + " is incompatible with option(s) " +
                                     shown(given.option->excludes));
            }
        }
    }
    return {};
}

std::string with_argument(const OptionRow& option) {
    std::string text(option.easel.name);
    switch (option.type) {
        case OptionType::kFlag: break;
        case OptionType::kInteger:
        case OptionType::kInteger8: text += " <n>"; break;
        case OptionType::kReal: text += " <x>"; break;
        case OptionType::kText:
        case OptionType::kTexts:
        case OptionType::kBoolean: text += " <s>"; break;
        case OptionType::kFile:
        case OptionType::kFileIn:
        case OptionType::kFileOut: text += " <f>"; break;
    }
    return text;
}

}  // namespace

std::optional<std::string> EaselArguments::value(std::string_view name) const {
    const Given* const given = find(name);
    return given != nullptr ? std::optional(given->value) : std::nullopt;
}

const EaselArguments::Given* EaselArguments::find(std::string_view name) const {
    const auto found = std::ranges::find(given_, name, [](const Given& given) { return given.option->easel.name; });
    return found != given_.end() ? &*found : nullptr;
}

Result<EaselArguments> read_easel_arguments(std::span<const EaselGroup> groups, int argc, char** argv,
                                            std::string_view before_message, std::string_view combination_error) {
    std::vector<const OptionRow*> options;
    for (const EaselGroup& group : groups)
        for (const OptionRow& option : group.options)
            if (!option.easel.name.empty()) options.push_back(&option);
    std::vector<std::optional<std::string>> values(options.size()), texts(options.size());
    std::vector<bool> on_command_line(options.size());
    Toggles toggles(options);
    for (std::size_t i = 0; i < options.size(); ++i) {
        if (options[i]->easel.environment_name == nullptr) continue;
        const char* const text = std::getenv(options[i]->easel.environment_name);
        if (text == nullptr) continue;
        values[i] = texts[i] = text;
        if (const Status status = check_value(*options[i], *values[i], "in env"); !status.ok())
            return Status::usage("Failed to process environment:" + std::string(before_message) + status.message());
    }

    std::string letters = "+:";  // '+': stops at the first argument; ':': a missing value is ':'
    std::vector<option> long_options;
    std::vector<std::string> long_names(options.size());
    for (std::size_t i = 0; i < options.size(); ++i) {
        const bool takes_value = options[i]->type != OptionType::kFlag;
        if (is_long(*options[i])) {
            long_names[i] = options[i]->easel.name.substr(2);
            long_options.push_back({long_names[i].c_str(), takes_value ? required_argument : no_argument, nullptr,
                                    kFirstLongOption + static_cast<int>(i)});
        } else {
            letters += options[i]->easel.name[1];
            if (takes_value) letters += ':';
        }
    }
    long_options.push_back({});
    const auto index_of = [&](int code) -> std::size_t {
        if (code >= kFirstLongOption) return static_cast<std::size_t>(code - kFirstLongOption);
        const std::string name{'-', static_cast<char>(code)};
        return static_cast<std::size_t>(std::ranges::find(options, name, easel_name) - options.begin());
    };
    const auto fail = [before_message](const Status& status) {
        return Status::usage("Failed to parse command line:" + std::string(before_message) + status.message());
    };

    optind = 0;  // starts getopt_long() afresh
    opterr = 0;
    for (;;) {
        const int code = getopt_long(argc, argv, letters.c_str(), long_options.data(), nullptr);
        if (code == -1) break;
        if (code == '?') {
            if (optopt < kFirstLongOption) return fail(unknown_option(options, optopt, argv[optind - 1]));
            return fail(Status::usage("Option " + shown(options[index_of(optopt)]->easel.name) +
                                      " does not take an argument."));
        }
        if (code == ':') {
            const OptionRow& option = *options[index_of(optopt)];
            return fail(Status::usage("Option " + shown(option.easel.name) + " requires an argument" +
                                      (is_long(option) ? "." : "")));
        }
        const std::size_t i = index_of(code);
        const OptionRow& option = *options[i];
        const bool is_next_word = option.type != OptionType::kFlag && optarg == argv[optind - 1];
        if (is_next_word && (option.type == OptionType::kText || option.type == OptionType::kFile) &&
            optarg[0] == '-') {
            return fail(Status::usage("Arg looks like option? Use " + shown(option.easel.name) +
                                      (is_long(option) ? "=" : "") + shown(optarg) + " if you really mean it."));
        }
        if (on_command_line[i])
            return fail(Status::usage("Option " + shown(option.easel.name) + " has already been set on cmdline."));
        on_command_line[i] = true;
        values[i] = texts[i] = option.type == OptionType::kFlag ? "" : optarg;
        if (const Status status = check_value(option, *values[i], "on cmdline"); !status.ok()) return fail(status);
        if (const Status status = toggles.set(i, on_command_line); !status.ok()) return fail(status);
    }

    EaselArguments arguments;
    for (std::size_t i = 0; i < options.size(); ++i) {
        if (values[i]) arguments.given_.push_back({options[i], *values[i], *texts[i]});
        if (values[i]) arguments.changed_.push_back(arguments.given_.back());
        if (!values[i] && on_command_line[i]) arguments.changed_.push_back({options[i], "", ""});
    }
    arguments.positional_.assign(argv + optind, argv + argc);
    Status combined = check_needs(arguments, toggles);
    if (combined.ok()) combined = check_exclusions(arguments);
    if (combined.ok()) return arguments;
    if (combination_error.empty()) return fail(combined);
    return Status::usage(std::string(combination_error) + combined.message());
}

std::string easel_help(std::span<const OptionRow> rows) {
    std::vector<const OptionRow*> options;
    for (const OptionRow& row : rows)
        if (!row.easel.name.empty() && !row.easel.is_hidden) options.push_back(&row);
    std::size_t width = 0;
    for (const OptionRow* option : options) width = std::max(width, with_argument(*option).size());
    bool is_too_long = false;
    const auto lines = [&](bool with_standards, bool with_ranges) {
        is_too_long = false;
        std::vector<std::string> all;
        for (const OptionRow* each : options) {
            const OptionRow& option = *each;
            std::string line = "  " + with_argument(option);
            line.resize(width + 2, ' ');
            line += " : " + std::string(option.easel.help);
            if (with_standards && !shown_standard(option).empty())
                line += "  [" + std::string(shown_standard(option)) + "]";
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
        for (const OptionRow& option : group.options) {
            if (option.easel.name.empty() || option.easel.is_hidden) continue;
            ListedOption listed{.help = std::string(option.easel.help)};
            const bool is_long = option.easel.name.starts_with("--");
            (is_long ? listed.long_name : listed.short_name) = option.easel.name.substr(is_long ? 2 : 1);
            listed.takes_value = option.type != OptionType::kFlag;
            if (listed.takes_value) listed.argument = option.type == OptionType::kFile ? "FILE" : "VALUE";
            all.push_back(std::move(listed));
        }
    }
    return all;
}

}  // namespace warpseq
