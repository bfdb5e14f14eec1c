// Command lines in the dialect of NCBI BLAST+'s programs. An option has one dash and its full name.
// Its value is the next word, or follows a '='. Errors have the words of BLAST+ 2.12.0.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "options/option_row.h"
#include "options/option_set.h"

namespace warpseq {

/// The grammar of a program's command line, and its help.
struct BlastProgram {
    const char* name;
    const char* description;              // one line or several
    std::span<const char* const> groups;  // headings of -help, in its order
    std::span<const OptionRow> rows;      // in the order of USAGE; each row has a name in this dialect
};

/// The end of a program that does no work, because its command line asks for a text or has an
/// error.
struct BlastEnding {
    std::string output = {};  // text for standard output, for -h, -help and -version
    std::string error = {};   // for standard error, without the last line end; empty if there is no error
};

/// A command line that has been read. If `ending` is set, the caller prints it and ends the
/// program. Otherwise the command line is free of errors.
class BlastArguments {
   public:
    bool has(const std::string& name) const { return values_.contains(name); }
    /// Returns the value as it was given, or the default if the option was not given. An option
    /// without a default must have been given. A flag has an empty value.
    std::string text(const std::string& name) const;
    std::optional<BlastEnding> ending;

   private:
    friend BlastArguments parse_blast_arguments(const BlastProgram& program, int argc, char** argv);
    const BlastProgram* program_ = nullptr;
    std::map<std::string, std::string> values_;
};

/// Reads a command line. Not thread-safe: getopt_long_only() splits it.
BlastArguments parse_blast_arguments(const BlastProgram& program, int argc, char** argv);

/// Returns BLAST+'s message that `value` is no number of type `to`, such as "Int8" or "Int8,
/// overflow". `place` is the index of the character at which that shows.
std::string blast_cannot_convert(std::string_view value, std::string_view to, std::size_t place);

/// Returns the supported options, for completions.
std::vector<ListedOption> blast_listed(const BlastProgram& program);

}  // namespace warpseq
