// Command lines of HMMER's programs, as its library Easel reads them: one table of options per
// program, from which the grammar, the checks of values, the help and the messages come.
//
// Spellings are those of getopt_long(): -T0, -o FILE, --cpu=1, --cpu 1, switches of one letter
// together, long names cut to any beginning that only one option has, "--" before what is no
// option. Options stand before other arguments. None may be given twice. What is wrong is told in
// Easel's words, since scripts that wrap these programs look for them.
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

/// Options that stand together in the help.
struct EaselGroup {
    std::string_view title;              // empty: the help does not show them
    std::span<const OptionRow> options;  // those without a name in this dialect do not count
};

/// A command line that has been read.
class EaselArguments {
   public:
    bool has(std::string_view name) const { return value(name).has_value(); }
    /// The value as it was given, empty for a switch; nothing where it was not given.
    std::optional<std::string> value(std::string_view name) const;
    /// In the order of the table; options outlive this.
    struct Given {
        const OptionRow* option;
        std::string value;
    };
    const std::vector<Given>& given() const { return given_; }
    const std::vector<std::string>& positional() const { return positional_; }

   private:
    friend Result<EaselArguments> read_easel_arguments(std::span<const EaselGroup>, int, char**, std::string_view);
    std::vector<Given> given_;
    std::vector<std::string> positional_;
};

/// Reads a command line, and the environment for options that have a variable. Long options take
/// their values from the next word whatever it begins with, but texts and files begin with '-' only
/// where they are attached. What is wrong is a usage error, in Easel's words; `before_message`
/// stands between "Failed to parse command line:" and what is wrong.
Result<EaselArguments> read_easel_arguments(std::span<const EaselGroup> groups, int argc, char** argv,
                                            std::string_view before_message = " ");

/// The lines of the help about options of one group. Ranges, and then defaults, are left out where
/// a line would be longer than 82 columns, which Easel counts as 80.
std::string easel_help(std::span<const OptionRow> rows);

/// For completions.
std::vector<ListedOption> easel_listed(std::span<const EaselGroup> groups);

}  // namespace warpseq
