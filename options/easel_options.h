// Command lines of HMMER's programs, as its library Easel reads them. Each program has a table of
// options, from which its grammar, the checks of values, the help and the messages are made.
//
// Options are spelled as getopt_long() takes them: -T0, -o FILE, --cpu=1, --cpu 1. Switches of one
// letter may stand together, and a long name may be cut to any beginning that only one option has.
// "--" may stand before arguments that are no options. Options stand before other arguments, and
// none may be given twice. Errors have Easel's words because scripts that wrap these programs look
// for them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/status.h"
#include "options/option_row.h"
#include "options/option_set.h"

namespace warpseq {

/// A group of options that stand together in the help.
struct EaselGroup {
    std::string_view title;              // empty if the help does not show the group
    std::span<const OptionRow> options;  // options without a name in this dialect are skipped
};

/// A command line that has been read.
class EaselArguments {
   public:
    bool has(std::string_view name) const { return value(name).has_value(); }
    /// Returns the value, which is empty for a switch. A whole number is in plain decimal form, and
    /// any other value is as it was given. Returns nothing if the option was not given.
    std::optional<std::string> value(std::string_view name) const;
    /// A given option, its value, and the value's text as it was given. They stand in the order of
    /// the table. The options outlive this object.
    struct Given {
        const OptionRow* option;
        std::string value, text;

        bool is_standard() const { return option->standard != nullptr && text == option->standard; }
    };
    /// Returns the given option of a name, or nullptr if it was not given.
    const Given* find(std::string_view name) const;
    const std::vector<Given>& given() const { return given_; }
    /// Returns the given options, and among them the switches that those have turned off. HMMER's
    /// tables name both.
    const std::vector<Given>& changed() const { return changed_; }
    const std::vector<std::string>& positional() const { return positional_; }

   private:
    friend Result<EaselArguments> read_easel_arguments(std::span<const EaselGroup>, int, char**, std::string_view,
                                                       std::string_view);
    std::vector<Given> given_, changed_;
    std::vector<std::string> positional_;
};

/// Reads a command line, and the environment for options that have a variable. The value of an
/// option may be the next word. If the value is a number, that word may begin with '-'. A text or a
/// file name that begins with '-' has to be attached to its option instead. An error is a usage
/// error in Easel's words. `before_message` stands between "Failed to parse command line:" and the
/// message. Errors about options that need or exclude each other begin with `combination_error`
/// instead, unless that is empty.
Result<EaselArguments> read_easel_arguments(std::span<const EaselGroup> groups, int argc, char** argv,
                                            std::string_view before_message = " ",
                                            std::string_view combination_error = "");

/// Returns the lines of the help about the options of one group. If a line would be longer than 82
/// columns, which Easel counts as 80, ranges are left out of all lines, and defaults too if that is
/// not enough.
std::string easel_help(std::span<const OptionRow> rows);

/// Returns the options that the help shows, for completions.
std::vector<ListedOption> easel_listed(std::span<const EaselGroup> groups);

}  // namespace warpseq
