#include "apps/dropin/hmmer_program.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "apps/common/command_line.h"
#include "apps/common/process.h"
#include "apps/dropin/next_program.h"
#include "apps/dropin/nucleotide_input.h"
#include "apps/search/driver/search_driver.h"
#include "formats/blast/blast_database.h"
#include "formats/fasta/hmmer_fasta.h"
#include "formats/io/byte_source.h"
#include "formats/io/output_sink.h"
#include "formats/io/shown_text.h"
#include "formats/profiles/hmm_binary.h"
#include "formats/profiles/pressed_profiles.h"
#include "formats/profiles/profile_alphabet.h"
#include "libcore/base/thread_pool.h"
#include "libcore/base/version.h"

namespace warpseq {
namespace {

constexpr std::string_view kRule = "# - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -\n";

/// HMMER's number of threads if neither --cpu nor HMMER_NCPU sets it.
constexpr int kStandardThreads = 2;

std::string without_blanks(const OptionRow& option, const std::string& value) {
    if (option.type != OptionType::kReal) return value;
    constexpr std::string_view kBlanks = " \t\n\v\f\r";
    const std::size_t first = value.find_first_not_of(kBlanks);
    return value.substr(first, value.find_last_not_of(kBlanks) - first + 1);
}

std::string help_text(const HmmerProgram& program, const std::string& called) {
    std::string text = hmmer_banner(program) + "Usage: " + called + " " + std::string(program.usage) + "\n";
    for (const EaselGroup& group : program.groups)
        if (!group.title.empty()) text += "\n" + std::string(group.title) + "\n" + easel_help(group.options);
    return text + std::string(program.help_end);
}

/// Returns the text below a usage error. `path` is argv[0] with its folder.
std::string brief_help(const HmmerProgram& program, const std::string& called, const char* path) {
    const std::string options =
        program.error_begin.empty() && !program.brief_title.empty()
            ? "\n" + std::string(program.brief_title) + "\n" + easel_help(program.groups.front().options)
            : "";
    return "Usage: " + called + " " + std::string(program.usage) + "\n" + options +
           std::string(program.before_help_call) + path + " -h\n\n";
}

/// Prints an error as HMMER does and returns the exit status. Programs that run HMMER look for the
/// line that begins with "Error:".
int report_error(const Status& status) {
    if (status.ok()) return 0;
    const std::string message = "\nError: " + for_terminal(status.message()) + "\n\n";
    std::fwrite(message.data(), 1, message.size(), stderr);
    return 1;
}

int run_program(const HmmerProgram& program, int argc, char** argv, const HmmerAction& action) {
    const std::string called = std::filesystem::path(argv[0]).filename().string();
    // Usage errors go to standard output, as in HMMER, or at least the help below them.
    const auto refuse = [&](const std::string& message) {
        std::string text = std::string(program.error_begin) + message + "\n";
        if (program.has_usage_errors_apart) {
            const std::string shown = for_terminal(text);
            std::fwrite(shown.data(), 1, shown.size(), stderr);
            text.clear();
        }
        report_error(print(text + brief_help(program, called, argv[0])));
        return 1;
    };
    const auto arguments =
        read_easel_arguments(program.groups, argc, argv, program.before_usage_error, program.combination_error);
    if (!arguments.ok()) return refuse(arguments.status().message());
    if (action.refusal) {
        const std::string refused = action.refusal(*arguments);
        if (!refused.empty())
            return refuse("Failed to parse command line:" + std::string(program.before_usage_error) + refused);
    }
    if (arguments->has("-h")) return report_error(print(help_text(program, called)));
    if (program.arguments != HmmerProgram::kAnyArguments && arguments->positional().size() != program.arguments)
        return refuse("Incorrect number of command line arguments.");
    if (action.misuse) {
        const std::string wrong = action.misuse(*arguments);
        if (!wrong.empty()) return refuse(wrong);
    }
    if (action.nucleotides) {
        if (const auto why = action.nucleotides(*arguments))
            return report_error(run_next_program(program.name, argv, *why));
    }
    const Status status = action.run(*arguments, argv[0]);
    const std::optional<HmmerFailure> failure = !status.ok() && action.failure ? action.failure() : std::nullopt;
    if (!failure && program.has_bare_parse_failures && status.message().starts_with(kHmmerParseFailure)) {
        const std::string message = for_terminal(status.message()) + "\n\n";
        std::fwrite(message.data(), 1, message.size(), stderr);
        return 1;
    }
    if (!failure) return report_error(status);
    const std::string message = for_terminal(failure->message);
    std::fwrite(message.data(), 1, message.size(), stderr);
    return failure->exit_status;
}

}  // namespace

constinit const std::string_view kHmmerVersion = "3.3.2";

std::string hmmer_version() {
    return std::string(kHmmerVersion) + " (warpseq " + std::string(program_version()) + ", compatible)";
}

HmmReportProgram hmmer_report_program(const HmmerProgram& program, bool with_place) {
    HmmReportProgram shown;
    shown.name = program.name;
    shown.banner = program.banner;
    // Some programs that read reports reject lines that do not begin like HMMER's.
    shown.credits = {"HMMER " + hmmer_version() + "; http://hmmer.org/", "Copyright (C) 2026 the authors of warpseq.",
                     "Freely distributed under the Apache License, version 2.0."};
    shown.version = hmmer_version();
    shown.author = std::string(program.name) + " (HMMER " + std::string(kHmmerVersion) + ")";
    if (!with_place) return shown;
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::current_path(error);
    if (!error) shown.folder = folder.string();
    const std::time_t now = std::time(nullptr);
    std::tm local = {};
    std::array<char, 64> text{};
    if (localtime_r(&now, &local) != nullptr &&
        std::strftime(text.data(), text.size(), "%a %b %e %H:%M:%S %Y", &local) > 0)
        shown.date = text.data();
    return shown;
}

std::string hmmer_banner(const HmmerProgram& program) {
    std::string text = "# " + std::string(program.name) + " :: " + std::string(program.banner) + "\n";
    for (const std::string& line : hmmer_report_program(program, false).credits) text += "# " + line + "\n";
    return text.append(kRule);
}

std::string hmmer_command_line(const EaselArguments& arguments, const char* called) {
    std::string line = called;
    for (const EaselArguments::Given& given : arguments.changed()) {
        line += " " + std::string(given.option->easel.name);
        if (given.option->type != OptionType::kFlag) line += " " + given.text;
    }
    for (const std::string& argument : arguments.positional()) line += " " + argument;
    return line + " ";  // HMMER writes the last blank, too
}

int hmmer_threads(const EaselArguments& arguments) {
    const int cpus = arguments.has("--cpu") ? std::stoi(*arguments.value("--cpu")) : kStandardThreads;
    return std::clamp(cpus, 1, static_cast<int>(ThreadPool::hardware_threads()));
}

Status add_easel_values(const EaselArguments& arguments, std::initializer_list<std::string_view> left_out,
                        OptionValues& values) {
    for (const EaselArguments::Given& given : arguments.given()) {
        if (std::ranges::find(left_out, given.option->easel.name) != left_out.end()) continue;
        WARPSEQ_TRY(values.set(given.option->key(), without_blanks(*given.option, given.value)));
    }
    return {};
}

Status leave_output(const std::optional<std::filesystem::path>& file) {
    std::error_code error;
    if (!file || std::filesystem::exists(*file, error) || error) return {};
    auto output = OutputSink::open(*file);
    return output.ok() ? output->finish() : output.status();
}

bool can_be_written(const std::filesystem::path& file) {
    std::error_code error;
    const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    if (file.empty() || std::filesystem::is_directory(file, error) || !std::filesystem::is_directory(folder, error))
        return false;
    return access((std::filesystem::exists(file, error) ? file : folder).c_str(), W_OK) == 0;
}

Status check_outputs(const EaselArguments& arguments, std::span<const HmmerOutput> outputs,
                     std::optional<HmmerFailure>& failure) {
    for (const HmmerOutput& output : outputs) {
        const std::optional<std::string> given = arguments.value(output.option);
        if (!given) continue;
        const std::string file = *given + std::string(output.file_end);
        if (can_be_written(file)) continue;
        std::string message(output.message);
        if (const std::size_t at = message.find('*'); at != std::string::npos) message.replace(at, 1, file);
        failure = HmmerFailure{message};
        return Status::io(file);
    }
    return {};
}

bool can_be_read(const std::string& file) { return file == "-" || access(file.c_str(), R_OK) == 0; }

bool is_empty_file(const std::string& file) {
    std::error_code error;
    return file == "/dev/null" ||
           (std::filesystem::is_regular_file(file, error) && std::filesystem::is_empty(file, error));
}

Status check_sequence_file(const std::string& file, const SequenceFileFormat& format, const char* what,
                           const char* misformatted) {
    const bool can_be_opened = can_be_read(file);
    const Status not_opened = Status::io(std::string("Failed to open ") + what + " " + file + " for reading");
    const Status wrong = Status::invalid_input(misformatted + (" " + file) + " is empty or misformatted");
    switch (format.kind) {
        case SequenceFileKind::kBlastDatabase: return blast_database_of(file) ? Status() : not_opened;
        case SequenceFileKind::kFmIndex: return can_be_opened ? wrong : not_opened;
        // An alignment file may be empty if its format is asserted.
        case SequenceFileKind::kAlignments: return can_be_opened ? Status() : wrong;
        default: break;
    }
    if (!can_be_opened) return not_opened;
    return is_empty_file(file) ? wrong : Status();
}

Status check_query_sequences(const std::string& file, const SequenceFileFormat& format) {
    WARPSEQ_TRY(check_sequence_file(file, format, "sequence file", "Sequence file"));
    if (format.kind != SequenceFileKind::kBlastDatabase) return {};
    return Status::invalid_input(file +
                                 ": the sequences of a BLAST database are read as targets only; blastdbcmd writes "
                                 "them as FASTA");
}

std::optional<std::string> nucleotide_profiles(const std::string& file, bool pressed_will_do) {
    const auto letters = nucleotides_of_profiles(pressed_will_do ? profile_file_of(file).string() : file);
    if (!letters) return std::nullopt;
    return (file == "-" ? "standard input" : file) + " holds profiles of " + *letters;
}

std::string profile_format_problem(const std::string& file) {
    if (is_empty_file(file)) return "File exists, but appears to be empty?";
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) return {};
    auto source = ByteSource::open(file);
    if (!source.ok()) return {};
    const auto start = source->peek_block();
    if (!start.ok() || start->size() < 4 || begins_binary_profiles(*start)) return {};
    if ((*start)[3] >= 0x80)
        return "Format tag appears binary, but unrecognized\nCurrent H3 format is HMMER3/f. Previous H2/H3 formats "
               "also supported.";
    const std::string tag = profile_format_tag(*start);
    if (tag.empty() || is_profile_format(tag)) return {};
    constexpr std::size_t kMostBytes = 127;  // HMMER cuts the message
    return ("Format tag is '" + tag +
            "': unrecognized.\nCurrent H3 format is 'HMMER3/f'. Previous H2/H3 formats also supported.")
        .substr(0, kMostBytes);
}

Status check_profile_file(const std::string& file, bool pressed_will_do) {
    const std::string read = pressed_will_do ? profile_file_of(file).string() : file;
    if (!can_be_read(read)) {
        return Status::io("File existence/permissions problem in trying to open HMM file " + file + ".\nHMM file " +
                          file + " not found (nor an .h3m binary of it)");
    }
    const std::string problem = profile_format_problem(read);
    if (problem.empty()) return {};
    return Status::invalid_input("File format problem in trying to open HMM file " + file + ".\n" + problem);
}

int run_hmmer_process(const HmmerProgram& program, int argc, char** argv, const HmmerAction& action) {
    prepare_process(program.name);
    int exit_status = 1;
    const Status status = guarded([&] { exit_status = run_program(program, argc, argv, action); });
    if (!status.ok()) exit_status = report_status(program.name, status);
    return end_of_search(exit_status);
}

std::vector<CommandSyntax> hmmer_syntax(const HmmerProgram& program) { return {{"", easel_listed(program.groups)}}; }

}  // namespace warpseq
