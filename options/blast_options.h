// Command lines in the dialect of NCBI BLAST+'s programs: one dash, names in full, the value as the next
// word or behind '='. Faults are told as BLAST+ 2.12.0 tells them.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "options/option_row.h"
#include "options/option_set.h"

namespace warpseq {

struct BlastProgram {
    const char* name;
    const char* description;              // a line or more
    std::span<const char* const> groups;  // of -help, in its order
    std::span<const OptionRow> rows;      // in the order of USAGE; each has a name in this dialect
};

/// What ends a program that has nothing else to do: what it prints, or a fault of the command line.
struct BlastEnding {
    std::string output = {};  // for standard output: -h, -help and -version
    std::string error = {};   // for standard error, without the last line end; empty: there is no fault
};

/// A command line that has been read and is sound, unless it ends the program.
class BlastArguments {
   public:
    bool has(const std::string& name) const { return values_.contains(name); }
    /// Returns the value as it was given, else the standard one, which the option must have then. A
    /// flag has an empty value.
    std::string text(const std::string& name) const;
    std::optional<BlastEnding> ending;

   private:
    friend BlastArguments parse_blast_arguments(const BlastProgram& program, int argc, char** argv);
    const BlastProgram* program_ = nullptr;
    std::map<std::string, std::string> values_;
};

/// Reads a command line. Not thread-safe: getopt_long_only() splits it.
BlastArguments parse_blast_arguments(const BlastProgram& program, int argc, char** argv);

/// Returns the supported options, for completions.
std::vector<ListedOption> blast_listed(const BlastProgram& program);

}  // namespace warpseq
