// The command lines of NCBI BLAST+'s programs: one dash, names in full, the value as the next word
// or behind '='. What is wrong is said as BLAST+ 2.12.0 says it, on standard error and with its
// exit statuses.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/fasta/fasta.h"
#include "libcore/base/status.h"
#include "options/option_set.h"

namespace warpseq {

/// What BLAST+ allows for a number, and how it calls that.
struct BlastRange {
    const char* text = nullptr;  // nullptr: any number
    double least = 0, most = 0;
    bool without_ends = false;
};

struct BlastOption {
    enum class Kind { kFlag, kText, kFileIn, kFileOut, kInteger, kInteger8, kReal, kBoolean };
    const char* name;
    const char* group;  // of -help
    Kind kind;
    const char* argument;            // what USAGE calls the value; nullptr: a flag
    const char* help;                // lines; each is set apart by a line end
    const char* standard = nullptr;  // the value where none is given
    const char* excludes = "";       // options that cannot be given besides, separated by blanks
    const char* needs = "";          // one that must be given besides
    BlastRange range = {};
    const char* choices = nullptr;  // the only values, as BLAST+ lists them: "'a' 'b'" or "`a', `b'"
    bool is_mandatory = false;
    bool is_supported = true;  // the help says so; giving one that is not is an error
};

struct BlastProgram {
    const char* name;
    const char* description;               // a line or more
    std::span<const char* const> groups;   // of -help, in its order
    std::span<const BlastOption> options;  // in the order of USAGE
};

/// What a command line holds, once it is found to be sound.
class BlastArguments {
   public:
    bool has(const std::string& name) const { return values_.contains(name); }
    /// The value as it was given, else the standard one, which the option has then. Of a flag:
    /// empty.
    std::string text(const std::string& name) const;
    /// What the command line says has been done (-h, -help, -version), or it is wrong and that was
    /// said: the exit status.
    std::optional<int> ended;

   private:
    friend BlastArguments parse_blast_arguments(const BlastProgram& program, int argc, char** argv);
    const BlastProgram* program_ = nullptr;
    std::map<std::string, std::string> values_;
};

/// Not thread-safe: it is getopt_long_only() that splits.
BlastArguments parse_blast_arguments(const BlastProgram& program, int argc, char** argv);

/// For completions: what is supported.
std::vector<ListedOption> blast_listed(const BlastProgram& program);

// Exit statuses of BLAST+.
inline constexpr int kBlastWrongInput = 1, kBlastDatabaseError = 2, kBlastEngineError = 3, kBlastOutOfMemory = 4;

/// Prints the line, or lines, on standard error, and returns `exit_status`.
int blast_failure(int exit_status, const std::string& message);
/// "BLAST query/options error: MESSAGE", and where to look things up.
int blast_options_error(const std::string& message);
/// 'Command line argument error: Argument "NAME". File is not accessible:  `FILE''
int blast_inaccessible(const std::string& option, const std::string& file);
/// Of a library: 0 for success, else what it says and the status that BLAST+ has for it.
int report_blast_status(const Status& status);

/// "FASTA-Reader: Ignoring invalid residues ...", and a line for hyphens before it, each with its
/// end.
std::string left_out_lines(const FastaLeftOut& left_out);

/// Whether a report can appear there, as far as can be told beforehand.
bool blast_can_write(const std::string& file);
/// Whether a file can be opened for reading, as far as can be told without opening it; "-" can.
bool blast_can_read(const std::string& file);

}  // namespace warpseq
