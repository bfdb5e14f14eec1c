#include "apps/dropin/hmmer_programs.h"

#include <fcntl.h>
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/common/command_line.h"
#include "apps/common/process.h"
#include "apps/common/progress.h"
#include "apps/dropin/hmmer_options.h"
#include "apps/search/hmm/hmm_command.h"
#include "apps/search/hmm/hmm_options.h"
#include "apps/search/search_driver.h"
#include "formats/shown_text.h"
#include "libcore/base/version.h"

namespace warpseq {
namespace {

/// The version whose command line and output this is. Readers look for it in the second line of a report.
constexpr std::string_view kHmmerVersion = "3.3.2";
constexpr std::string_view kRule = "# - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -\n";

/// HMMER's threads where neither --cpu nor HMMER_NCPU says how many.
constexpr int kStandardThreads = 2;
constexpr int kMostThreads = 1024;

std::string version() {
    return std::string(kHmmerVersion) + " (warpseq " + std::string(program_version()) + ", compatible)";
}

HmmReportProgram report_program(const HmmerProgram& program) {
    HmmReportProgram shown;
    shown.name = program.name;
    shown.banner = program.banner;
    // Lines that begin otherwise than HMMER's are an error to some readers.
    shown.credits = {"HMMER " + version() + "; http://hmmer.org/", "Copyright (C) 2026 the authors of warpseq.",
                     "Freely distributed under the Apache License, version 2.0."};
    shown.version = version();
    shown.author = std::string(program.name) + " (HMMER " + std::string(kHmmerVersion) + ")";
    return shown;
}

/// Where and when tables are made.
void add_place(HmmReportProgram& shown) {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::current_path(error);
    if (!error) shown.folder = folder.string();
    const std::time_t now = std::time(nullptr);
    std::tm local = {};
    std::array<char, 64> text{};
    if (localtime_r(&now, &local) != nullptr &&
        std::strftime(text.data(), text.size(), "%a %b %e %H:%M:%S %Y", &local) > 0)
        shown.date = text.data();
}

std::string help_text(const HmmerProgram& program, const std::string& called) {
    std::string text = "# " + std::string(program.name) + " :: " + std::string(program.banner) + "\n";
    for (const std::string& line : report_program(program).credits) text += "# " + line + "\n";
    text += kRule;
    text += "Usage: " + called + " " + std::string(program.usage) + "\n";
    for (const EaselGroup& group : program.groups)
        text += "\n" + std::string(group.title) + "\n" + easel_help(group.options);
    return text;
}

/// What follows a usage error; argv[0] is named with its folder there.
std::string brief_help(const HmmerProgram& program, const std::string& called, const char* path) {
    return "Usage: " + called + " " + std::string(program.usage) + "\n\n" + std::string(program.brief_title) + "\n" +
           easel_help(program.groups.front().options) + "\nTo see more help on available options, do " + path +
           " -h\n\n";
}

/// What Easel can be told that a file holds. Sequences are read from FASTA here, aligned or not, whatever else they are
/// asserted to be.
Status check_format(const EaselArguments& arguments, const char* option, std::string_view what) {
    const auto given = arguments.value(option);
    if (!given) return {};
    const auto is = [&](const char* name) { return strcasecmp(given->c_str(), name) == 0; };
    for (const char* name : {"fasta", "afa"})
        if (is(name)) return {};
    for (const char* name : {"embl", "genbank", "ddbj", "uniprot", "ncbi", "daemon", "hmmpgmd", "fmindex", "stockholm",
                             "pfam", "a2m", "psiblast", "selex", "clustal", "clustallike", "phylip", "phylips"}) {
        if (!is(name)) continue;
        return Status::invalid_input(std::string(option) + " " + *given +
                                     ": this format is not read by warpseq; make FASTA of it");
    }
    return Status::invalid_input(*given + " is not a recognized " + std::string(what) + " file format");
}

bool can_be_read(const std::string& file) { return file == "-" || access(file.c_str(), R_OK) == 0; }

/// Of pipes and the like nobody knows before they are read.
bool is_empty(const std::string& file) {
    std::error_code error;
    return file == "/dev/null" ||
           (std::filesystem::is_regular_file(file, error) && std::filesystem::is_empty(file, error));
}

/// A file of sequences, which messages call `what`, and `misformatted` where it is empty.
Status check_sequences(const std::string& file, const char* what, const char* misformatted) {
    if (!can_be_read(file)) return Status::io(std::string("Failed to open ") + what + " " + file + " for reading");
    if (!is_empty(file)) return {};
    return Status::invalid_input(misformatted + (" " + file) + " is empty or misformatted");
}

Status check_profiles(const std::string& file) {
    if (!can_be_read(file)) {
        return Status::io("File existence/permissions problem in trying to open HMM file " + file + ".\nHMM file " +
                          file + " not found (nor an .h3m binary of it)");
    }
    if (!is_empty(file)) return {};
    return Status::invalid_input("File format problem in trying to open HMM file " + file +
                                 ".\nFile exists, but appears to be empty?");
}

/// Files that are not there or empty, in HMMER's words and its order.
Status check_inputs(const HmmerProgram& program, const std::string& query, const std::string& target) {
    if (program.takes_profiles) {
        WARPSEQ_TRY(check_sequences(target, "sequence file", "Sequence file"));
        return check_profiles(query);
    }
    WARPSEQ_TRY(check_sequences(query, "sequence file", "Sequence file"));
    return check_sequences(target, "target sequence database", "Target sequence database file");
}

/// Numbers may stand between blanks in HMMER's command lines.
std::string without_blanks(const EaselOption& option, const std::string& value) {
    if (option.kind != EaselOption::Kind::kReal) return value;
    const std::size_t first = value.find_first_not_of(" \t\n\v\f\r");
    return value.substr(first, value.find_last_not_of(" \t") - first + 1);
}

/// The options of `search hmm` that say the same.
std::vector<std::string> as_search_options(const EaselArguments& arguments) {
    const auto& files = arguments.positional();
    std::vector<std::string> words = {"hmm", "--quiet", "--query=" + files[0], "--db=" + files[1]};
    const int cpus = arguments.has("--cpu") ? std::stoi(*arguments.value("--cpu")) : kStandardThreads;
    words.push_back("--threads=" + std::to_string(std::clamp(cpus, 1, kMostThreads)));
    for (const auto& [option, value] : arguments.given()) {
        const std::string name(option->name);
        const std::string plain = without_blanks(*option, value);
        if (name == "--cpu" || name == "--qformat" || name == "--tformat") continue;
        if (option->kind == EaselOption::Kind::kSwitch) {
            words.push_back(name);
        } else if (name == "-o") {
            words.push_back("--out=" + plain);
        } else {
            words.push_back(name + (name.starts_with("--") ? "=" : "") + plain);
        }
    }
    return words;
}

Result<HmmOptions> read_search_options(const HmmerProgram& program, const std::vector<std::string>& words) {
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    OptionSet set = make_hmm_options();
    const auto parsed = set.parse(static_cast<int>(argv.size()), argv.data());
    if (!parsed.ok()) return parsed.status();
    return read_hmm_options(*parsed, program.query_argument, "<seqdb>");
}

/// The lines about options at the top of a report, as the program has them.
void describe_options(const HmmerProgram& program, const EaselArguments& arguments, HmmRun& run) {
    using Given = HmmRun::Given;
    if (const auto alignment = std::ranges::find(run.given, "-A", &Given::name); alignment != run.given.end())
        alignment->label = program.alignment_label;
    const auto seed = std::ranges::find(run.given, "--seed", &Given::name);
    if (seed != run.given.end() && seed->value == "0")
        run.given.insert(seed + 1, Given{.name = "--seed", .label = "random number seed set to:", .shown = "0"});
    for (const auto& [option, label] :
         {std::pair("--qformat", program.query_format_label), std::pair("--tformat", program.target_format_label),
          std::pair("--cpu", std::string_view("number of worker threads:"))}) {
        if (const auto value = arguments.value(option))
            run.given.push_back({.name = option, .value = *value, .label = std::string(label), .shown = *value});
    }
}

std::string command_line(const EaselArguments& arguments, const char* called) {
    std::string line = called;
    for (const auto& [option, value] : arguments.given()) {
        line += " " + std::string(option->name);
        if (option->kind != EaselOption::Kind::kSwitch) line += " " + value;
    }
    for (const std::string& argument : arguments.positional()) line += " " + argument;
    return line + " ";  // as HMMER writes it
}

Status search(const HmmerProgram& program, const EaselArguments& arguments, const char* called) {
    const std::string &query = arguments.positional()[0], &target = arguments.positional()[1];
    WARPSEQ_TRY(check_format(arguments, "--qformat", "input sequence"));
    WARPSEQ_TRY(check_format(arguments, "--tformat", "sequence database"));
    WARPSEQ_TRY(check_inputs(program, query, target));
    auto options = read_search_options(program, as_search_options(arguments));
    if (!options.ok()) return options.status();
    options->only_kind = program.takes_profiles ? HmmQueryKind::kProfile : HmmQueryKind::kSequence;
    // A query of a few X gets its block in the report, though hardly anything can come of it.
    options->calibration.with_hardly_any_information = !program.takes_profiles;
    options->run.program = report_program(program);
    add_place(options->run.program);
    describe_options(program, arguments, options->run);
    options->run.command_line = command_line(arguments, called);
    TerminalObserver observer(std::string(program.name), true);
    return run_hmm_search(*std::move(options), observer);
}

/// Prints an error as HMMER does: clients look for the line that begins with "Error:". Returns the exit status.
int report_error(const Status& status) {
    if (status.ok()) return 0;
    const std::string message = "\nError: " + for_terminal(status.message()) + "\n\n";
    std::fwrite(message.data(), 1, message.size(), stderr);
    return 1;
}

int run_program(const HmmerProgram& program, int argc, char** argv) {
    const std::string called = std::filesystem::path(argv[0]).filename().string();
    // On standard output, as HMMER's.
    const auto refuse = [&](const std::string& message) {
        report_error(print(message + "\n" + brief_help(program, called, argv[0])));
        return 1;
    };
    const auto arguments = read_easel_arguments(program.groups, argc, argv);
    if (!arguments.ok()) return refuse(arguments.status().message());
    if (arguments->has("-h")) return report_error(print(help_text(program, called)));
    const std::vector<std::string>& files = arguments->positional();
    if (files.size() != 2) return refuse("Incorrect number of command line arguments.");
    if (files[0] == "-" && files[1] == "-") {
        return refuse("Either " + std::string(program.query_argument) +
                      " or <seqdb> may be '-' (to read from stdin), but not both.");
    }
    return report_error(search(program, *arguments, argv[0]));
}

/// run_program() as the whole process.
int run_process(const HmmerProgram& program, int argc, char** argv) {
    prepare_process(program.name);
    int exit_status = 1;
    const Status status = guarded([&] { exit_status = run_program(program, argc, argv); });
    if (!status.ok()) exit_status = report_status(program.name, status);
    return end_of_search(exit_status);
}

}  // namespace

int hmmsearch_program(int argc, char** argv) { return run_process(kHmmsearch, argc, argv); }
int phmmer_program(int argc, char** argv) { return run_process(kPhmmer, argc, argv); }

std::vector<CommandSyntax> hmmsearch_syntax() { return {{"", easel_listed(kHmmsearch.groups)}}; }
std::vector<CommandSyntax> phmmer_syntax() { return {{"", easel_listed(kPhmmer.groups)}}; }

}  // namespace warpseq
