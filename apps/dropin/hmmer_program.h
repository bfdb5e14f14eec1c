// What HMMER 3's programs have in common as processes: help, usage errors, how errors are told,
// exit statuses, and the lines about the program in reports. A program is a table of options
// (HmmerProgram) and what it does with them (HmmerAction).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/status.h"
#include "options/easel_options.h"
#include "reports/hmmer/hmm_run.h"

namespace warpseq {

struct HmmerProgram {
    static constexpr std::size_t kAnyArguments = SIZE_MAX;
    std::string_view name, banner;
    std::string_view usage;                // behind the name
    std::string_view brief_title;          // of the help's first lines, below a usage error; empty: they are left out
    std::span<const EaselGroup> groups;    // of the help; the first is shown below a usage error, too
    std::size_t arguments = 2;             // that are no options; kAnyArguments: HmmerAction::misuse counts them
    std::string_view help_end = "";        // behind the help's options
    std::string_view error_begin = "";     // of usage errors; where it is given, no options are shown below them
    bool has_bare_parse_failures = false;  // no "Error:" before those of sequences
    std::string_view before_usage_error = " ";  // behind "Failed to parse command line:"
    std::string_view before_help_call = "\nTo see more help on available options, do ";  // ends the brief help
};

/// How a program ends that does not say "Error:" and return 1.
struct HmmerFailure {
    std::string message;  // for standard error, with all its line ends
    int exit_status = 1;
};

struct HmmerAction {
    /// The reason to refuse options that the table has; empty if there is none. Called before help.
    /// Optional.
    std::function<std::string(const EaselArguments& arguments)> refusal = {};
    /// The mistake in how the program was called, beyond options and the number of arguments; empty
    /// if there is none. It is told with the brief help, on standard output. Optional.
    std::function<std::string(const EaselArguments& arguments)> misuse = {};
    /// The beginning of a message that says what of the input is of nucleotides, such as "x.hmm
    /// holds profiles of DNA". If there is one, the next program of the name in PATH takes the work
    /// (next_program.h). If not, `run` does it. Optional.
    std::function<std::optional<std::string>(const EaselArguments& arguments)> nucleotides = {};
    /// The work. `called` is argv[0].
    std::function<Status(const EaselArguments& arguments, const char* called)> run;
    /// The message and exit status of a failure of `run`, asked for after it has failed. Without
    /// them it is told as other errors are. Optional.
    std::function<std::optional<HmmerFailure>()> failure = {};
};

/// The whole process, for a link of the program's name and for `warpseq NAME`. Usage errors go to
/// standard output, other errors to standard error, both with exit status 1, as HMMER's do. Returns
/// the exit status or ends the process (end_of_search()).
int run_hmmer_process(const HmmerProgram& program, int argc, char** argv, const HmmerAction& action);

/// For completions.
std::vector<CommandSyntax> hmmer_syntax(const HmmerProgram& program);

/// "3.3.2", whose command lines and output these are. Readers look for it in the second line of a
/// report.
extern const std::string_view kHmmerVersion;
/// The version as reports show it: HMMER's, then ours.
std::string hmmer_version();
/// What a report says of its program; `with_place` adds the folder and the date, which end tables.
HmmReportProgram hmmer_report_program(const HmmerProgram& program, bool with_place);
/// The command line as HMMER writes it into tables.
std::string hmmer_command_line(const EaselArguments& arguments, const char* called);

/// Threads that --cpu or HMMER_NCPU ask for, or HMMER's default; at least 1.
int hmmer_threads(const EaselArguments& arguments);

/// Sets the options of HMMER's command line that the engine has, too. Options named in `left_out` are
/// not set. A number may stand between blanks in HMMER's command lines, and is set without them.
Status add_easel_values(const EaselArguments& arguments, std::initializer_list<std::string_view> left_out,
                        OptionValues& values);

// Files that are not there or empty, in HMMER's words. "-" is standard input.
bool can_be_read(const std::string& file);
/// Whether a file is known to be empty. Pipes and the like are not known before they are read.
bool is_empty_file(const std::string& file);
/// Checks that a file of sequences can be read and is not empty. Messages call it `what`, and
/// `misformatted` if it is empty.
Status check_sequence_file(const std::string& file, const char* what, const char* misformatted);
/// Returns the answer of HmmerAction::nucleotides for a file of profiles.
std::optional<std::string> nucleotide_profiles(const std::string& file, bool pressed_will_do = true);
/// Checks that a file of profiles can be read and is not empty. With `pressed_will_do` the profiles
/// may be there in pressed form alone (formats/profiles/pressed_profiles.h).
Status check_profile_file(const std::string& file, bool pressed_will_do = true);

}  // namespace warpseq
