// The options of a command in warpseq's own dialect: its rows, its help and its parser. It wraps
// cxxopts, whose header takes seconds to compile.
//
// The value of an option that may be repeated is not split at commas, since file names may hold
// them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/status.h"
#include "options/option_row.h"
#include "options/option_values.h"

namespace warpseq {

/// An option as completions list it. Names are without dashes, and the short or the long one may be
/// empty. The short name has one dash on the command line. In drop-in programs it may have many
/// letters. The other names are long names that mean the same.
struct ListedOption {
    std::string short_name = {}, long_name = {}, help = {};
    std::vector<std::string> other_names = {};
    bool takes_value = false;
    std::string argument = {};  // name of the value in the help
};

/// The options of a command.
class OptionSet {
   public:
    explicit OptionSet(std::string program, std::string description = "");

    /// Sets the text that follows the program's name in the help's line of usage.
    OptionSet& custom_help(std::string text);
    OptionSet& positional_help(std::string text);
    /// Sets the order of the groups in the help. Without it they are sorted, with "Machine" and
    /// "Other" at the end.
    OptionSet& help_groups(std::vector<std::string> groups);

    /// A group of options in the help. The help does not show the group "hidden".
    class Group {
       public:
        /// Adds an option and returns this group, so that calls can be chained. `names` is
        /// "x,long", "long" or "long,other_long"; the help shows the first long name. `argument` is
        /// the help's name for the value.
        Group& operator()(const std::string& names, const std::string& help, OptionValue value = flag_value(),
                          const std::string& argument = "");

       private:
        friend class OptionSet;
        Group(OptionSet& options, std::string name) : options_(options), name_(std::move(name)) {}
        OptionSet& options_;
        std::string name_;
    };
    /// Returns the group with this heading, to which options can be added.
    Group add_options(const std::string& group = "") { return Group(*this, group); }
    /// Adds the options of all rows with a name in this dialect, in the order of their places. They
    /// are added to `group`, or to their own groups if it is empty.
    OptionSet& add_rows(std::span<const OptionRow> rows, std::string_view group = "");
    /// Makes the option `name` take the arguments that are no options.
    void parse_positional(const std::string& name) { positional_ = name; }
    /// Sets what the error about an unknown option says if the command line has one of `names`,
    /// which are options of other commands. Names are without dashes.
    void hint_for_unknown(std::vector<std::string> names, std::string text) {
        hinted_ = std::move(names);
        hint_ = std::move(text);
    }

    /// Returns the help, in 80 columns.
    std::string help() const;
    /// Returns the program's name and its arguments, as the help's line of usage has them.
    std::string usage() const;
    /// Returns the options of all groups but "hidden", group by group.
    std::vector<ListedOption> listed() const;

    /// Returns an empty set of values, which the caller fills. It knows the options that have been
    /// added.
    OptionValues values() const;
    /// Reads a command line. An error in it is a usage error that names --help.
    Result<OptionValues> parse(int argc, const char* const* argv) const;

   private:
    std::vector<std::string> groups() const;  // sorted
    std::string_view hint_for(int argc, const char* const* argv) const;

    std::string program_, description_, custom_help_, positional_help_, positional_;
    std::vector<std::string> help_groups_, hinted_;
    std::string hint_;
    std::shared_ptr<std::vector<OptionDefinition>> rows_;
};

/// A command of a program and the options that its command line may hold.
struct CommandSyntax {
    std::string name;  // empty for the program itself
    std::vector<ListedOption> options;
};

}  // namespace warpseq
