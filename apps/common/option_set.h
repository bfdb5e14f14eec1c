// What a command line may hold, over cxxopts, whose header takes seconds to compile: all programs
// for users go through this.
//
// An option that may be repeated is not split at commas, since file names may hold them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
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

/// A command line that has been parsed. Names are those of the definition, without dashes.
class ParsedOptions {
   public:
    /// How often it was given.
    std::size_t count(const std::string& name) const;
    /// Of an option that was given or has a standard value, else a defect of the caller.
    const std::string& text(const std::string& name) const;
    /// None where it was not given.
    std::vector<std::string> texts(const std::string& name) const;
    /// Arguments that are no options, where the definition takes none.
    const std::vector<std::string>& unmatched() const;
    /// The names of what was given, in that order; a long name where the option has one, the first
    /// of several.
    std::vector<std::string> names_given() const;
    /// What was given as another command line that means the same, but for these options.
    std::vector<std::string> arguments_without(const std::vector<std::string>& names) const;
    /// The same of these options alone.
    std::vector<std::string> arguments_of(const std::vector<std::string>& names) const;
    /// Of an option of several long names the one it was given by, so that messages say what a user
    /// wrote; `name` where it was not given, or has no other.
    std::string name_given(const std::string& name) const;

   private:
    friend class OptionSet;
    struct Parsed;
    std::vector<std::string> arguments_that(const std::function<bool(const std::string& name)>& are_meant) const;
    explicit ParsedOptions(std::shared_ptr<const Parsed> parsed) : parsed_(std::move(parsed)) {}
    std::shared_ptr<const Parsed> parsed_;
};

/// An option as it is listed. Names are without dashes; the short or the long one may be empty. The
/// short one stands behind one dash, and programs that stand in for others have some of many
/// letters. Other names are long ones that mean the same.
struct ListedOption {
    std::string short_name = {}, long_name = {}, help = {};
    std::vector<std::string> other_names = {};
    bool takes_value = false;
    std::string argument = {};  // what the help calls the value
};

class OptionSet {
   public:
    explicit OptionSet(const std::string& program, const std::string& description = "");
    ~OptionSet();
    OptionSet(OptionSet&&) noexcept;

    /// What the help's line of usage says behind the program's name.
    OptionSet& custom_help(const std::string& text);
    OptionSet& positional_help(const std::string& text);

    /// Adds options to a group of the help, one call each: "x,long", "long" or "long,other_long",
    /// the help, a value and what the help calls that. The help shows the first long name.
    class Group {
       public:
        Group& operator()(const std::string& names, const std::string& help, OptionValue value = flag_value(),
                          const std::string& argument = "");

       private:
        friend class OptionSet;
        Group(OptionSet& options, std::string name) : options_(options), name_(std::move(name)) {}
        OptionSet& options_;
        std::string name_;
    };
    Group add_options(const std::string& group = "") { return Group(*this, group); }
    /// The option that takes what is no option.
    void parse_positional(const std::string& name);

    /// In 80 columns, of these groups, in this order; none: of all as they were added, with
    /// "Machine" and "Other" at the end.
    std::string help(const std::vector<std::string>& groups = {}) const;

    /// Those of all groups but "hidden", group by group.
    std::vector<ListedOption> listed() const;

    /// What is wrong with a command line is a usage error that names --help.
    Result<ParsedOptions> parse(int argc, const char* const* argv);

   private:
    struct Definition;
    std::unique_ptr<Definition> definition_;
};

/// A command of a program and what its command line may hold.
struct CommandSyntax {
    std::string name;  // empty: the program's own
    std::vector<ListedOption> options;
};

}  // namespace warpseq
