// The options that a search or another command was given, whichever dialect they were written in, or
// that a program sets itself. Each dialect's parser makes them; functions beside each engine's rows
// turn them into settings.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq {

/// The value of an option: none (a flag), a text, or a text each time it is given.
struct OptionValue {
    enum class Kind { kNone, kText, kTexts } kind = Kind::kNone;
    const char* standard = nullptr;  // of a text, where it is not given; the help shows it
};
constexpr OptionValue flag_value() { return {}; }
constexpr OptionValue text_value(const char* standard = nullptr) { return {OptionValue::Kind::kText, standard}; }
constexpr OptionValue texts_value() { return {OptionValue::Kind::kTexts, nullptr}; }

/// One option. Names are without dashes; the short or the long one may be empty.
struct OptionDefinition {
    std::string group;  // of the help
    std::string short_name = {}, long_name = {};
    std::vector<std::string> other_names = {};  // long names that mean the same
    std::string help = {};
    OptionValue value = {};
    std::string argument = {};  // the help's name of the value

    /// The name that identifies the option: the long one, or the short one where it has no other.
    const std::string& key() const { return long_name.empty() ? short_name : long_name; }
    bool has_name(std::string_view name) const;
};

/// Every function that takes a name accepts any name of the option.
class OptionValues {
   public:
    explicit OptionValues(std::shared_ptr<const std::vector<OptionDefinition>> rows) : rows_(std::move(rows)) {}

    /// Gives an option once more. `value` is empty for a flag. An unknown name is a usage error.
    Status set(std::string_view name, std::string value = "");
    /// Adds an argument that is no option.
    void add_unmatched(std::string argument) { unmatched_.push_back(std::move(argument)); }

    /// Whether there is an option of the name.
    bool knows(std::string_view name) const;
    /// Returns how often the option was given; 0 for an unknown one.
    std::size_t count(std::string_view name) const;
    /// Returns the last value given, or the default. The option must have one of them.
    std::string text(std::string_view name) const;
    /// Returns all values given.
    std::vector<std::string> texts(std::string_view name) const;
    /// Returns the arguments that are no options, in their order.
    const std::vector<std::string>& unmatched() const { return unmatched_; }
    /// Returns the keys of the options given, in their order, each as often as it was given.
    std::vector<std::string> names_given() const;
    /// Returns the long name by which the option was given last, so that messages say what a user
    /// wrote. Without one it returns the key.
    std::string name_given(std::string_view name) const;

    /// Returns the options given as "key=value", a flag as "key", sorted by key. Defaults are left
    /// out, and so are the options of these names. Equal texts mean the same; set_canonical() reads
    /// them back.
    std::vector<std::string> canonical_without(const std::vector<std::string>& names) const;
    /// Returns the same for the options of these names alone.
    std::vector<std::string> canonical_of(const std::vector<std::string>& names) const;
    /// Sets what a canonical text says. An unknown name is a usage error.
    Status set_canonical(std::string_view text);

   private:
    struct Given {
        const OptionDefinition* row;
        std::string name, value;
    };
    const OptionDefinition* find(std::string_view name) const;
    template <typename IsMeant>
    std::vector<std::string> canonical(const IsMeant& is_meant) const;

    std::shared_ptr<const std::vector<OptionDefinition>> rows_;
    std::vector<Given> given_;  // in the order of the command line
    std::vector<std::string> unmatched_;
};

}  // namespace warpseq
