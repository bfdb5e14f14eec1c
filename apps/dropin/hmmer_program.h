// The common part of HMMER 3's programs as processes: help, usage errors, error messages, exit
// statuses, and the lines about the program in reports. A program consists of a table of options
// (HmmerProgram) and its actions (HmmerAction).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/sequences/sequence_format.h"
#include "libcore/base/status.h"
#include "options/easel_options.h"
#include "reports/hmmer/hmm_run.h"

namespace warpseq {

/// The name, texts and options of a program.
struct HmmerProgram {
    static constexpr std::size_t kAnyArguments = SIZE_MAX;
    std::string_view name, banner;
    std::string_view usage;                // the text after the name
    std::string_view brief_title;          // title of the options shown below a usage error; empty: none are shown
    std::span<const EaselGroup> groups;    // the help's groups; the first is also shown below a usage error
    std::size_t arguments = 2;             // arguments besides options; kAnyArguments: HmmerAction::misuse counts them
    std::string_view help_end = "";        // the text after the help's options
    std::string_view error_begin = "";     // beginning of usage errors; if given, no options are shown below them
    bool has_bare_parse_failures = false;  // whether failures to parse sequences are printed without "Error:"
    std::string_view before_usage_error = " ";  // the text after "Failed to parse command line:"
    bool has_usage_errors_apart = false;  // whether a usage error's message goes to standard error, without its help
    std::string_view combination_error = "";  // beginning of errors about options that need or exclude others
    std::string_view before_help_call = "\nTo see more help on available options, do ";  // end of the brief help
};

/// A failure that is not printed with "Error:", or whose exit status is not 1.
struct HmmerFailure {
    std::string message;  // for standard error, with all its line ends
    int exit_status = 1;
};

/// The functions of a program.
struct HmmerAction {
    /// Returns the reason to refuse options that the table has, or an empty text if there is none.
    /// Called before help is printed. Optional.
    std::function<std::string(const EaselArguments& arguments)> refusal = {};
    /// Returns the mistake in the program's arguments, or an empty text if there is none. Errors in
    /// options and in the number of arguments have been found before. The mistake is printed with
    /// the brief help, to standard output. Optional.
    std::function<std::string(const EaselArguments& arguments)> misuse = {};
    /// Returns the beginning of a message that says which input is of nucleotides, such as "x.hmm
    /// holds profiles of DNA". The next program of the name in PATH then takes the work
    /// (next_program.h). If nothing is returned, `run` does the work. Optional.
    std::function<std::optional<std::string>(const EaselArguments& arguments)> nucleotides = {};
    /// Does the work. `called` is argv[0].
    std::function<Status(const EaselArguments& arguments, const char* called)> run;
    /// Returns the message and exit status of a failure of `run`. Called after `run` has failed. If
    /// nothing is returned, the failure is printed as other errors are. Optional.
    std::function<std::optional<HmmerFailure>()> failure = {};
};

/// Runs the whole process, for a link of the program's name and for `warpseq NAME`. Usage errors go
/// to standard output (but see has_usage_errors_apart), and other errors to standard error. Both
/// have exit status 1, as in HMMER. Returns the exit status or ends the process (end_of_search()).
int run_hmmer_process(const HmmerProgram& program, int argc, char** argv, const HmmerAction& action);

/// Returns the command line's syntax, for completions.
std::vector<CommandSyntax> hmmer_syntax(const HmmerProgram& program);

/// The version of HMMER whose command lines and output these are: "3.3.2". Programs that read
/// reports look for it in the second line.
extern const std::string_view kHmmerVersion;
/// Returns the version as reports show it: HMMER's, then warpseq's.
std::string hmmer_version();
/// Returns what a report says about its program. `with_place` adds the folder and the date, with
/// which tables end.
HmmReportProgram hmmer_report_program(const HmmerProgram& program, bool with_place);
/// Returns the lines with which a program introduces itself: its name, its credits and a rule.
std::string hmmer_banner(const HmmerProgram& program);
/// Returns the command line as HMMER writes it into tables.
std::string hmmer_command_line(const EaselArguments& arguments, const char* called);

/// Returns the number of threads that --cpu or HMMER_NCPU asks for, or HMMER's default, 2. It is at
/// least 1 and at most the number of processors, as in HMMER.
int hmmer_threads(const EaselArguments& arguments);

/// Sets those options in `values` that HMMER's command line has. Options named in `left_out` are
/// not set. In HMMER's command lines a number may stand between blanks, which are removed. An
/// option that the engine does not have is a usage error.
Status add_easel_values(const EaselArguments& arguments, std::initializer_list<std::string_view> left_out,
                        OptionValues& values);

/// An output of a program, and its message if the file cannot be opened.
struct HmmerOutput {
    std::string_view option, message;  // in the message '*' stands for the file, if HMMER names it
    std::string_view file_end = "";    // end of the file's name, behind the option's value
};
/// Checks that the given ones of these outputs can be written. Sets `failure` for the first one
/// that cannot, and returns an error.
Status check_outputs(const EaselArguments& arguments, std::span<const HmmerOutput> outputs,
                     std::optional<HmmerFailure>& failure);
/// Whether a file can be opened for writing. It may exist.
bool can_be_written(const std::filesystem::path& file);

/// Creates an empty output file, unless a file of this name exists. HMMER's programs open their
/// output before they read anything, so that an empty file is there after an error.
Status leave_output(const std::optional<std::filesystem::path>& file);

// Checks of files that are missing or empty, with HMMER's messages. "-" is standard input.
bool can_be_read(const std::string& file);
/// Whether a file is known to be empty. False for pipes and other streams, of which only reading
/// can tell.
bool is_empty_file(const std::string& file);
/// Checks that a file of sequences can be read and is not empty, as far as HMMER does that for a
/// format before it reads. Messages call the file `what` if it cannot be read, and `misformatted`
/// if it is empty.
Status check_sequence_file(const std::string& file, const SequenceFileFormat& format, const char* what,
                           const char* misformatted);
/// Does the same for sequences that are not targets. Those of a BLAST database are refused.
Status check_query_sequences(const std::string& file, const SequenceFileFormat& format);
/// Returns the result of HmmerAction::nucleotides for a file of profiles. `pressed_will_do` is that
/// of check_profile_file().
std::optional<std::string> nucleotide_profiles(const std::string& file, bool pressed_will_do = true);
/// Returns HMMER's message about a file that is empty or begins in no format of profiles, or an
/// empty text. Only regular files are looked at, because a stream is read only once.
std::string profile_format_problem(const std::string& file);
/// Checks that a file of profiles can be read, is not empty and begins in a known format. With
/// `pressed_will_do`, the profiles may exist in pressed form only
/// (formats/profiles/pressed_profiles.h).
Status check_profile_file(const std::string& file, bool pressed_will_do = true);

}  // namespace warpseq
