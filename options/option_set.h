// The options of a command in warpseq's own dialect: its rows, its help, and its parser, over cxxopts,
// whose header takes seconds to compile.
//
// An option that may be repeated is not split at commas, since file names may hold them.
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

/// An option as completions list it. Names are without dashes; the short or the long one may be empty.
/// The short one stands behind one dash, and programs that stand in for others have some of many
/// letters. Other names are long ones that mean the same.
struct ListedOption {
    std::string short_name = {}, long_name = {}, help = {};
    std::vector<std::string> other_names = {};
    bool takes_value = false;
    std::string argument = {};  // the help's name of the value
};

class OptionSet {
   public:
    explicit OptionSet(std::string program, std::string description = "");

    /// Sets what the help's line of usage says behind the program's name.
    OptionSet& custom_help(std::string text);
    OptionSet& positional_help(std::string text);
    /// Sets the order of the groups in the help. Without it they are sorted, with "Machine" and
    /// "Other" at the end.
    OptionSet& help_groups(std::vector<std::string> groups);

    /// Adds options to a group of the help, one call each: "x,long", "long" or "long,other_long",
    /// the help, a value and the help's name of the value. The help shows the first long name. The
    /// help does not show the group "hidden".
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
    /// Adds the options of rows that have a name in this dialect, in the order of their places, to
    /// their groups, or to `group`.
    OptionSet& add_rows(std::span<const OptionRow> rows, std::string_view group = "");
    /// Makes an option take the arguments that are no options.
    void parse_positional(const std::string& name) { positional_ = name; }

    /// Returns the help, in 80 columns.
    std::string help() const;
    /// Returns the options of all groups but "hidden", group by group.
    std::vector<ListedOption> listed() const;

    /// Returns values to set; they share the rows as they are now.
    OptionValues values() const;
    /// Reads a command line. A fault is a usage error that names --help.
    Result<OptionValues> parse(int argc, const char* const* argv) const;

   private:
    std::vector<std::string> groups() const;  // sorted

    std::string program_, description_, custom_help_, positional_help_, positional_;
    std::vector<std::string> help_groups_;
    std::shared_ptr<std::vector<OptionDefinition>> rows_;
};

/// A command of a program and what its command line may hold.
struct CommandSyntax {
    std::string name;  // empty: the program's own
    std::vector<ListedOption> options;
};

}  // namespace warpseq
