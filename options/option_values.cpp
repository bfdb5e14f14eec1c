#include "options/option_values.h"

#include <algorithm>
#include <cassert>

namespace warpseq {

bool OptionDefinition::has_name(std::string_view name) const {
    return !name.empty() &&
           (short_name == name || long_name == name || std::ranges::find(other_names, name) != other_names.end());
}

const OptionDefinition* OptionValues::find(std::string_view name) const {
    const auto row = std::ranges::find_if(*rows_, [&](const OptionDefinition& each) { return each.has_name(name); });
    return row == rows_->end() ? nullptr : &*row;
}

Status OptionValues::set(std::string_view name, std::string value) {
    const OptionDefinition* const row = find(name);
    if (row == nullptr) return Status::usage("there is no option '" + std::string(name) + "'");
    given_.push_back({row, std::string(name), std::move(value)});
    return {};
}

bool OptionValues::knows(std::string_view name) const { return find(name) != nullptr; }

bool OptionValues::takes_value(std::string_view name) const {
    const OptionDefinition* const row = find(name);
    assert(row != nullptr);
    return row->value.kind != OptionValue::Kind::kNone;
}

std::size_t OptionValues::count(std::string_view name) const {
    const OptionDefinition* const row = find(name);
    return static_cast<std::size_t>(std::ranges::count(given_, row, &Given::row));
}

std::string OptionValues::text(std::string_view name) const {
    const OptionDefinition* const row = find(name);
    const auto given = std::find_if(given_.rbegin(), given_.rend(), [&](const Given& each) { return each.row == row; });
    if (given != given_.rend()) return given->value;
    assert(row != nullptr && row->value.standard != nullptr);
    return row->value.standard;
}

std::vector<std::string> OptionValues::texts(std::string_view name) const {
    const OptionDefinition* const row = find(name);
    std::vector<std::string> values;
    for (const Given& given : given_)
        if (given.row == row) values.push_back(given.value);
    return values;
}

std::vector<std::string> OptionValues::names_given() const {
    std::vector<std::string> names;
    for (const Given& given : given_) names.push_back(given.row->key());
    return names;
}

std::string OptionValues::name_given(std::string_view name) const {
    const OptionDefinition* const row = find(name);
    const auto given = std::find_if(given_.rbegin(), given_.rend(),
                                    [&](const Given& each) { return each.row == row && each.name.size() > 1; });
    if (given != given_.rend()) return given->name;
    return row == nullptr ? std::string(name) : row->key();
}

template <typename IsMeant>
std::vector<std::string> OptionValues::canonical(const IsMeant& is_meant) const {
    std::vector<const Given*> given;
    for (const Given& each : given_) {
        const char* const standard = each.row->value.standard;
        const bool is_default = standard != nullptr && each.value == standard && count(each.row->key()) == 1;
        if (is_meant(*each.row) && !is_default) given.push_back(&each);
    }
    std::ranges::stable_sort(given, {}, [](const Given* each) -> const std::string& { return each->row->key(); });
    std::vector<std::string> texts;
    for (const Given* each : given) {
        const bool is_flag = each->row->value.kind == OptionValue::Kind::kNone;
        texts.push_back(each->row->key() + (is_flag ? "" : "=" + each->value));
    }
    return texts;
}

std::vector<std::string> OptionValues::canonical_without(const std::vector<std::string>& names) const {
    return canonical([&](const OptionDefinition& row) {
        return std::ranges::none_of(names, [&](const std::string& name) { return row.has_name(name); });
    });
}

std::vector<std::string> OptionValues::canonical_of(const std::vector<std::string>& names) const {
    return canonical([&](const OptionDefinition& row) {
        return std::ranges::any_of(names, [&](const std::string& name) { return row.has_name(name); });
    });
}

Status OptionValues::set_canonical(std::string_view text) {
    const std::string_view name = text.substr(0, text.find('='));
    return set(name, std::string(text.substr(std::min(name.size() + 1, text.size()))));
}

}  // namespace warpseq
