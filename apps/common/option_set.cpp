#include "apps/common/option_set.h"

#define CXXOPTS_VECTOR_DELIMITER '\0'
#include <algorithm>
#include <cxxopts.hpp>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/common/near_name.h"

namespace warpseq {

namespace {
constexpr std::size_t kHelpColumns = 80;
}  // namespace

struct ParsedOptions::Parsed {
    cxxopts::ParseResult result;
    std::map<std::string, std::string> other_names;  // by first long names, of options given by another
    std::set<std::string> flags;                     // names of options without a value
};

std::size_t ParsedOptions::count(const std::string& name) const { return parsed_->result.count(name); }

const std::string& ParsedOptions::text(const std::string& name) const {
    return parsed_->result[name].as<std::string>();
}

std::vector<std::string> ParsedOptions::texts(const std::string& name) const {
    if (count(name) == 0) return {};
    return parsed_->result[name].as<std::vector<std::string>>();
}

const std::vector<std::string>& ParsedOptions::unmatched() const { return parsed_->result.unmatched(); }

std::vector<std::string> ParsedOptions::names_given() const {
    std::vector<std::string> names;
    for (const cxxopts::KeyValue& argument : parsed_->result.arguments()) names.push_back(argument.key());
    return names;
}

std::vector<std::string> ParsedOptions::arguments_without(const std::vector<std::string>& names) const {
    return arguments_that([&](const std::string& name) { return std::ranges::find(names, name) == names.end(); });
}

std::vector<std::string> ParsedOptions::arguments_of(const std::vector<std::string>& names) const {
    return arguments_that([&](const std::string& name) { return std::ranges::find(names, name) != names.end(); });
}

std::vector<std::string> ParsedOptions::arguments_that(const std::function<bool(const std::string&)>& are_meant) const {
    std::vector<std::string> arguments;
    for (const cxxopts::KeyValue& argument : parsed_->result.arguments()) {
        const std::string& name = argument.key();
        if (!are_meant(name)) continue;
        const bool is_short = name.size() == 1, is_flag = parsed_->flags.contains(name);
        arguments.push_back((is_short ? "-" : "--") + name + (is_short || is_flag ? "" : "=" + argument.value()));
        if (is_short && !is_flag) arguments.push_back(argument.value());
    }
    return arguments;
}

std::string ParsedOptions::name_given(const std::string& name) const {
    const auto other = parsed_->other_names.find(name);
    return other == parsed_->other_names.end() ? name : other->second;
}

struct OptionSet::Definition {
    cxxopts::Options options;
};

OptionSet::OptionSet(const std::string& program, const std::string& description)
    : definition_(new Definition{cxxopts::Options(program, description)}) {
    definition_->options.set_width(kHelpColumns);
}
OptionSet::~OptionSet() = default;
OptionSet::OptionSet(OptionSet&&) noexcept = default;

OptionSet& OptionSet::custom_help(const std::string& text) {
    definition_->options.custom_help(text);
    return *this;
}

OptionSet& OptionSet::positional_help(const std::string& text) {
    definition_->options.positional_help(text);
    return *this;
}

OptionSet::Group& OptionSet::Group::operator()(const std::string& names, const std::string& help, OptionValue value,
                                               const std::string& argument) {
    std::shared_ptr<cxxopts::Value> of_option;
    switch (value.kind) {
        case OptionValue::Kind::kNone: of_option = cxxopts::value<bool>(); break;
        case OptionValue::Kind::kText: of_option = cxxopts::value<std::string>(); break;
        case OptionValue::Kind::kTexts: of_option = cxxopts::value<std::vector<std::string>>(); break;
    }
    if (value.standard != nullptr) of_option = of_option->default_value(value.standard);
    options_.definition_->options.add_options(name_)(names, help, of_option, argument);
    return *this;
}

void OptionSet::parse_positional(const std::string& name) { definition_->options.parse_positional(name); }

std::string OptionSet::help(const std::vector<std::string>& groups) const {
    if (!groups.empty()) return definition_->options.help(groups);
    std::vector<std::string> all = definition_->options.groups();
    std::ranges::stable_sort(all, {},
                             [](const std::string& group) { return group == "Other" ? 2 : group == "Machine"; });
    return definition_->options.help(all);
}

std::vector<ListedOption> OptionSet::listed() const {
    std::vector<ListedOption> listed;
    for (const std::string& group : definition_->options.groups()) {
        if (group == "hidden") continue;
        for (const cxxopts::HelpOptionDetails& each : definition_->options.group_help(group).options) {
            const bool takes_value = !each.is_boolean;
            std::vector<std::string> names = each.l;
            std::string first = names.empty() ? "" : names.front();
            if (!names.empty()) names.erase(names.begin());
            listed.push_back(
                {each.s, std::move(first), each.desc, std::move(names), takes_value, takes_value ? each.arg_help : ""});
        }
    }
    return listed;
}

namespace {

std::string_view name_in(std::string_view word) {
    word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
    return word.substr(0, word.find('='));
}

bool has_long_name(const ListedOption& option, std::string_view name) {
    return option.long_name == name || std::ranges::find(option.other_names, name) != option.other_names.end();
}

/// Of options that were given by another name than their first: that name.
std::map<std::string, std::string> other_names_given(const std::vector<ListedOption>& options, int argc,
                                                     const char* const* argv) {
    std::map<std::string, std::string> given;
    for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
        const std::string_view word = argv[i], name = name_in(word);
        if (!word.starts_with("--")) continue;
        for (const ListedOption& option : options) {
            if (has_long_name(option, name)) given[option.long_name] = name;
        }
    }
    return given;
}

std::set<std::string> names_of_flags(const std::vector<ListedOption>& options) {
    std::set<std::string> names;
    for (const ListedOption& option : options)
        if (!option.takes_value) names.insert(option.long_name.empty() ? option.short_name : option.long_name);
    return names;
}

/// A long name behind one dash, as other programs write it: it would be read as short options.
/// Empty where there is none.
std::string find_single_dash(const std::vector<ListedOption>& options, int argc, const char* const* argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i], name = name_in(word);
        if (word == "--") break;
        if (word.size() < 2 || word[0] != '-') continue;
        const bool has_two = word[1] == '-', is_short = !has_two && word.size() == 2;
        const auto given = std::ranges::find_if(options, [&](const ListedOption& option) {
            return is_short ? option.short_name == name : has_long_name(option, name);
        });
        if (given == options.end()) continue;
        if (!has_two && !is_short)
            return std::string(word.substr(0, word.find('='))) + ": write --" + std::string(name);
        if (given->takes_value && word.find('=') == std::string_view::npos) ++i;
    }
    return "";
}

/// "; did you mean --evalue?" for an unknown long name that is near a known one.
std::string suggestion(const std::vector<ListedOption>& options, int argc, const char* const* argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i], name = name_in(word);
        if (!word.starts_with("--") || name.empty()) continue;
        if (std::ranges::any_of(options, [&](const ListedOption& option) { return has_long_name(option, name); }))
            continue;
        std::vector<std::string_view> names;
        for (const ListedOption& option : options) names.push_back(option.long_name);
        const std::string_view near = near_name(name, names);
        if (!near.empty()) return "; did you mean --" + std::string(near) + "?";
    }
    return "";
}

}  // namespace

// cxxopts reports by exception.
Result<ParsedOptions> OptionSet::parse(int argc, const char* const* argv) {
    if (const std::string wrong = find_single_dash(listed(), argc, argv); !wrong.empty())
        return Status::usage(wrong + "; --help lists the options");
    try {
        return ParsedOptions(std::make_shared<const ParsedOptions::Parsed>(
            ParsedOptions::Parsed{definition_->options.parse(argc, argv), other_names_given(listed(), argc, argv),
                                  names_of_flags(listed())}));
    } catch (const cxxopts::exceptions::incorrect_argument_type& error) {
        // Values are read as text, so this is a switch that was given one, as in --quiet=maybe.
        // cxxopts names only the value.
        using Wrong = cxxopts::exceptions::incorrect_argument_type;
        const std::string what = error.what();
        for (int i = 1; i < argc; ++i) {
            const std::string argument = argv[i];
            const std::size_t equals = argument.find('=');
            if (equals == std::string::npos || what != Wrong(argument.substr(equals + 1)).what()) continue;
            return Status::usage(argument + ": " + argument.substr(0, equals) +
                                 " takes no value; --help lists the options");
        }
        return Status::usage(what + "; --help lists the options");
    } catch (const cxxopts::exceptions::no_such_option& error) {
        const std::string near = suggestion(listed(), argc, argv);
        return Status::usage(std::string(error.what()) + near + (near.empty() ? ";" : "") +
                             " --help lists the options");
    } catch (const cxxopts::exceptions::exception& error) {
        return Status::usage(std::string(error.what()) + "; --help lists the options");
    }
}

}  // namespace warpseq
