#include "options/option_set.h"

#define CXXOPTS_VECTOR_DELIMITER '\0'
#include <algorithm>
#include <cxxopts.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "options/near_name.h"

namespace warpseq {

namespace {

constexpr std::size_t kHelpColumns = 80;
constexpr const char* kHiddenGroup = "hidden";

std::vector<std::string> split(const std::string& names) {
    std::vector<std::string> all(1);
    for (const char c : names) {
        if (c == ',') {
            all.emplace_back();
        } else {
            all.back() += c;
        }
    }
    return all;
}

/// Returns the names in cxxopts's form: "x,long,other_long".
std::string joined_names(const OptionDefinition& row) {
    std::string names = row.short_name;
    const auto add = [&](const std::string& name) { names += (names.empty() ? "" : ",") + name; };
    if (!row.long_name.empty()) add(row.long_name);
    for (const std::string& name : row.other_names) add(name);
    return names;
}

cxxopts::Options cxxopts_of(const std::string& program, const std::string& description,
                            const std::vector<OptionDefinition>& rows) {
    cxxopts::Options options(program, description);
    options.set_width(kHelpColumns);
    for (const OptionDefinition& row : rows) {
        std::shared_ptr<cxxopts::Value> value;
        switch (row.value.kind) {
            case OptionValue::Kind::kNone: value = cxxopts::value<bool>(); break;
            case OptionValue::Kind::kText: value = cxxopts::value<std::string>(); break;
            case OptionValue::Kind::kTexts: value = cxxopts::value<std::vector<std::string>>(); break;
        }
        if (row.value.standard != nullptr) value = value->default_value(row.value.standard);
        options.add_options(row.group)(joined_names(row), row.help, value, row.argument);
    }
    return options;
}

/// Returns the default in this dialect; nullptr if there is none.
const char* standard_of(const OptionRow& row) {
    if (row.warpseq.standard == nullptr) return row.standard;
    return *row.warpseq.standard == '\0' ? nullptr : row.warpseq.standard;
}

}  // namespace

OptionSet::OptionSet(std::string program, std::string description)
    : program_(std::move(program)),
      description_(std::move(description)),
      rows_(std::make_shared<std::vector<OptionDefinition>>()) {}

OptionSet& OptionSet::custom_help(std::string text) {
    custom_help_ = std::move(text);
    return *this;
}

OptionSet& OptionSet::positional_help(std::string text) {
    positional_help_ = std::move(text);
    return *this;
}

OptionSet& OptionSet::help_groups(std::vector<std::string> groups) {
    help_groups_ = std::move(groups);
    return *this;
}

OptionSet::Group& OptionSet::Group::operator()(const std::string& names, const std::string& help, OptionValue value,
                                               const std::string& argument) {
    OptionDefinition row{.group = name_, .help = help, .value = value, .argument = argument};
    std::vector<std::string> all = split(names);
    if (all.front().size() == 1) {
        row.short_name = all.front();
        all.erase(all.begin());
    }
    if (!all.empty()) {
        row.long_name = all.front();
        all.erase(all.begin());
    }
    row.other_names = std::move(all);
    options_.rows_->push_back(std::move(row));
    return *this;
}

OptionSet& OptionSet::add_rows(std::span<const OptionRow> rows, std::string_view group) {
    std::vector<const OptionRow*> ours;
    for (const OptionRow& row : rows)
        if (!row.warpseq.names.empty()) ours.push_back(&row);
    std::ranges::stable_sort(ours, {}, [](const OptionRow* row) { return row->warpseq.place; });
    for (const OptionRow* const row : ours) {
        OptionValue value = flag_value();
        if (row->type == OptionType::kTexts) {
            value = texts_value();
        } else if (row->type != OptionType::kFlag) {
            value = text_value(standard_of(*row));
        }
        add_options(std::string(group.empty() ? row->warpseq.group : group))(
            std::string(row->warpseq.names), std::string(row->warpseq.help), value, std::string(row->warpseq.argument));
    }
    return *this;
}

std::vector<std::string> OptionSet::groups() const {
    std::vector<std::string> all;
    for (const OptionDefinition& row : *rows_)
        if (std::ranges::find(all, row.group) == all.end()) all.push_back(row.group);
    std::ranges::sort(all);
    return all;
}

std::string OptionSet::help() const {
    cxxopts::Options options = cxxopts_of(program_, description_, *rows_);
    if (!custom_help_.empty()) options.custom_help(custom_help_);
    if (!positional_help_.empty()) options.positional_help(positional_help_);
    if (!positional_.empty()) options.parse_positional(positional_);
    if (!help_groups_.empty()) return options.help(help_groups_);
    std::vector<std::string> all = groups();
    std::erase(all, kHiddenGroup);
    std::ranges::stable_sort(all, {},
                             [](const std::string& group) { return group == "Other" ? 2 : group == "Machine"; });
    return options.help(all);
}

std::string OptionSet::usage() const {
    std::string usage = program_;
    for (const std::string* part : {&custom_help_, &positional_help_}) {
        if (!part->empty()) usage += " " + *part;
    }
    return usage;
}

std::vector<ListedOption> OptionSet::listed() const {
    std::vector<ListedOption> listed;
    for (const std::string& group : groups()) {
        if (group == kHiddenGroup) continue;
        for (const OptionDefinition& row : *rows_) {
            if (row.group != group) continue;
            const bool takes_value = row.value.kind != OptionValue::Kind::kNone;
            listed.push_back({row.short_name, row.long_name, row.help, row.other_names, takes_value,
                              takes_value ? row.argument : ""});
        }
    }
    return listed;
}

OptionValues OptionSet::values() const { return OptionValues(std::make_shared<std::vector<OptionDefinition>>(*rows_)); }

namespace {

std::string_view name_in(std::string_view word) {
    word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
    return word.substr(0, word.find('='));
}

bool has_long_name(const ListedOption& option, std::string_view name) {
    return option.long_name == name || std::ranges::find(option.other_names, name) != option.other_names.end();
}

/// Sets `values`, under the names that the command line uses.
Status set_values(const cxxopts::ParseResult& parsed, const std::vector<OptionDefinition>& rows, int argc,
                  const char* const* argv, OptionValues& values) {
    for (const cxxopts::KeyValue& argument : parsed.arguments()) {
        const auto row = std::ranges::find(rows, argument.key(), &OptionDefinition::key);
        const bool is_flag = row->value.kind == OptionValue::Kind::kNone;
        std::string_view name = argument.key();
        for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
            const std::string_view word = argv[i], written = name_in(word);
            if (word.starts_with("--") && row->has_name(written)) name = written;
        }
        WARPSEQ_TRY(values.set(name, is_flag ? "" : argument.value()));
    }
    for (const std::string& argument : parsed.unmatched()) values.add_unmatched(argument);
    return {};
}

/// Returns the message about the first long name that stands behind one dash, as other programs
/// write it; cxxopts would read it as short options. Returns an empty text if there is none.
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

/// Returns the text between the message about an unknown option and the last sentence: "; did you
/// mean --evalue? " if its long name is near a known one.
std::string suggestion(const std::vector<ListedOption>& options, int argc, const char* const* argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i], name = name_in(word);
        if (!word.starts_with("--") || name.empty()) continue;
        if (std::ranges::any_of(options, [&](const ListedOption& option) { return has_long_name(option, name); }))
            continue;
        std::vector<std::string_view> names;
        for (const ListedOption& option : options) names.push_back(option.long_name);
        if (!near_name(name, names).empty()) return did_you_mean(name, names, "--");
    }
    return "; ";
}

}  // namespace

std::string_view OptionSet::hint_for(int argc, const char* const* argv) const {
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word.starts_with('-') && std::ranges::find(hinted_, name_in(word)) != hinted_.end()) return hint_;
    }
    return "";
}

// cxxopts reports errors by exceptions.
Result<OptionValues> OptionSet::parse(int argc, const char* const* argv) const {
    if (const std::string wrong = find_single_dash(listed(), argc, argv); !wrong.empty())
        return Status::usage(wrong + "; --help lists the options");
    try {
        cxxopts::Options options = cxxopts_of(program_, description_, *rows_);
        if (!positional_.empty()) options.parse_positional(positional_);
        OptionValues read = values();
        WARPSEQ_TRY(set_values(options.parse(argc, argv), *rows_, argc, argv, read));
        return read;
    } catch (const cxxopts::exceptions::incorrect_argument_type& error) {
        // All values are read as text, so this error comes from a flag that was given a value, as
        // in --quiet=maybe. cxxopts names only the value.
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
        const std::string_view hint = hint_for(argc, argv);
        if (!hint.empty()) return Status::usage(std::string(error.what()) + "; " + std::string(hint));
        return Status::usage(error.what() + suggestion(listed(), argc, argv) + "--help lists the options");
    } catch (const cxxopts::exceptions::exception& error) {
        return Status::usage(std::string(error.what()) + "; --help lists the options");
    }
}

}  // namespace warpseq
