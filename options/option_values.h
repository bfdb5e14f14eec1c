// The values of options, given on a command line in any dialect or set by a program. The parser of
// each dialect makes them. Functions beside each engine's rows turn them into settings.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq {

/// The kind of value that an option has: none (a flag), a text, or a text for each time that the
/// option is given.
struct OptionValue {
    enum class Kind { kNone, kText, kTexts } kind = Kind::kNone;
    const char* standard = nullptr;  // default of a text; the help shows it
};
constexpr OptionValue flag_value() { return {}; }
constexpr OptionValue text_value(const char* standard = nullptr) { return {OptionValue::Kind::kText, standard}; }
constexpr OptionValue texts_value() { return {OptionValue::Kind::kTexts, nullptr}; }

/// One option of a command. Names are without dashes; the short or the long one may be empty.
struct OptionDefinition {
    std::string group;  // heading in the help
    std::string short_name = {}, long_name = {};
    std::vector<std::string> other_names = {};  // long names that mean the same
    std::string help = {};
    OptionValue value = {};
    std::string argument = {};  // name of the value in the help

    /// Returns the name that identifies the option: the long name, or the short one if there is no
    /// other.
    const std::string& key() const { return long_name.empty() ? short_name : long_name; }
    bool has_name(std::string_view name) const;
};

/// The options that were given, and their values. Every function that takes a name accepts any name
/// of the option.
class OptionValues {
   public:
    explicit OptionValues(std::shared_ptr<const std::vector<OptionDefinition>> rows) : rows_(std::move(rows)) {}

    /// Adds an occurrence of an option. `value` is empty for a flag. An unknown name is a usage
    /// error.
    Status set(std::string_view name, std::string value = "");
    /// Adds an argument that is no option.
    void add_unmatched(std::string argument) { unmatched_.push_back(std::move(argument)); }

    /// Whether an option has this name.
    bool knows(std::string_view name) const;
    /// Whether the option has a value. Flags have none. The option must be known.
    bool takes_value(std::string_view name) const;
    /// Returns how often the option was given. An unknown option was given 0 times.
    std::size_t count(std::string_view name) const;
    /// Returns the last value that was given, or the default. The option must have one of them.
    std::string text(std::string_view name) const;
    /// Returns all values that were given.
    std::vector<std::string> texts(std::string_view name) const;
    /// Returns the arguments that are no options, in their order.
    const std::vector<std::string>& unmatched() const { return unmatched_; }
    /// Returns the keys of the options that were given, in their order. A key occurs as often as
    /// its option was given.
    std::vector<std::string> names_given() const;
    /// Returns the long name by which the option was given last, so that messages repeat the user's
    /// spelling. Returns the key if no long name was used.
    std::string name_given(std::string_view name) const;

    /// Returns the given options, except those in `names`, as texts "key=value", or "key" for a
    /// flag, sorted by key. Options that have their default value are left out. Command lines with
    /// the same meaning have equal texts. set_canonical() reads such a text.
    std::vector<std::string> canonical_without(const std::vector<std::string>& names) const;
    /// Returns such texts for the options in `names` alone.
    std::vector<std::string> canonical_of(const std::vector<std::string>& names) const;
    /// Sets the option that a text of canonical_without() states. An unknown name is a usage error.
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
