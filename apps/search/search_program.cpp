#include "apps/search/search_program.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "apps/common/command_line.h"
#include "apps/common/process.h"
#include "apps/search/blastp/blastp_command.h"
#include "apps/search/driver/division.h"
#include "apps/search/driver/search_driver.h"
#include "apps/search/hmm/hmm_command.h"
#include "apps/search/hmmalign/hmmalign_command.h"
#include "apps/search/hmmbuild/hmmbuild_command.h"
#include "apps/search/hmmconvert/hmmconvert_command.h"
#include "apps/search/hmmemit/hmmemit_command.h"
#include "apps/search/hmmfetch/hmmfetch_command.h"
#include "apps/search/hmmscan/hmmpress_command.h"
#include "apps/search/hmmscan/hmmscan_command.h"
#include "apps/search/hmmstat/hmmstat_command.h"
#include "apps/search/jackhmmer/jackhmmer_command.h"
#include "apps/search/merge_command.h"
#include "apps/search/pair/pair_command.h"
#include "apps/search/sw/sw_command.h"
#include "formats/io/output_sink.h"
#include "libcore/base/version.h"
#include "options/blastp/blastp_options.h"
#include "options/hmm/hmm_options.h"
#include "options/hmmalign/hmmalign_options.h"
#include "options/hmmbuild/hmmbuild_options.h"
#include "options/hmmconvert/hmmconvert_options.h"
#include "options/hmmemit/hmmemit_options.h"
#include "options/hmmfetch/hmmfetch_options.h"
#include "options/hmmpress/hmmpress_options.h"
#include "options/hmmscan/hmmscan_options.h"
#include "options/hmmstat/hmmstat_options.h"
#include "options/jackhmmer/jackhmmer_options.h"
#include "options/near_name.h"
#include "options/pair/pair_options.h"
#include "options/sw/sw_options.h"

namespace warpseq {
namespace {

std::string version_line() { return "search (warpseq) " + std::string(program_version()) + "\n"; }

struct Engine {
    std::string_view name, program;  // messages begin with `program`
    std::string_view summary;        // of a line, for the help of search
    OptionSet (*options)();
    Status (*run)(const OptionValues& values, Division* division);
    /// Advice in the error about an argument that is no option; nullptr if the engine reads such
    /// arguments.
    const char* where_inputs_go;
};
constexpr std::size_t kEngineNameColumns = 12;  // with the blanks behind the longest
constexpr std::string_view kAfterEngines =
    "\n"
    "--part K/N --work-dir FOLDER searches a part of the databases, or of the pairs of\n"
    "pair --all-pairs and --pairs; merge makes one report from all parts, the same as\n"
    "that of a single search.\n"
    "\n"
    "search ENGINE --help lists an engine's options; search --version prints the\n"
    "version.\n";
constexpr const char* kQueriesAndDatabases = "queries go with -q, databases with -d";
constexpr auto kEngines = std::to_array<Engine>({
    {"sw", "search sw", "Smith-Waterman: exact local alignments of queries with all sequences", make_sw_options,
     run_sw_command, kQueriesAndDatabases},
    {"hmm", "search hmm", "profile HMMs, or sequences as profiles: HMMER's hmmsearch, phmmer", make_hmm_options,
     run_hmm_command, kQueriesAndDatabases},
    {"hmmscan", "search hmmscan", "sequences against a file of profiles: HMMER's hmmscan", make_hmmscan_options,
     run_hmmscan_command, "sequences go with -q, profiles with -d"},
    {"hmmpress", "search hmmpress", "prepares a file of profiles for hmmscan: HMMER's hmmpress", make_hmmpress_options,
     run_hmmpress_command, "profiles go with -d"},
    {"hmmfetch", "search hmmfetch", "profiles out of a file of them: HMMER's hmmfetch", make_hmmfetch_options,
     run_hmmfetch_command, nullptr},
    {"hmmstat", "search hmmstat", "figures of profiles: HMMER's hmmstat", make_hmmstat_options, run_hmmstat_command,
     "profiles go with -d"},
    {"hmmconvert", "search hmmconvert", "profiles in other formats: HMMER's hmmconvert", make_hmmconvert_options,
     run_hmmconvert_command, "profiles go with -d"},
    {"hmmemit", "search hmmemit", "sequences that profiles emit: HMMER's hmmemit", make_hmmemit_options,
     run_hmmemit_command, "profiles go with -d"},
    {"jackhmmer", "search jackhmmer", "sequences as profiles, in rounds: HMMER's jackhmmer", make_jackhmmer_options,
     run_jackhmmer_command, kQueriesAndDatabases},
    {"hmmalign", "search hmmalign", "sequences aligned to a profile: HMMER's hmmalign", make_hmmalign_options,
     run_hmmalign_command, "the profile goes with -q, sequences with -d"},
    {"hmmbuild", "search hmmbuild", "profiles of alignments: HMMER's hmmbuild", make_hmmbuild_options,
     run_hmmbuild_command, "alignments go with -q, profiles with -o"},
    {"blastp", "search blastp", "protein BLAST: what NCBI blastp finds", make_blastp_options, run_blastp_command,
     "queries go with --query, databases with --db"},
    {"pair", "search pair", "the best alignment of two sequences of any length, of any letters", make_pair_options,
     run_pair_command, nullptr},
});

static_assert(std::ranges::all_of(kEngines,
                                  [](const Engine& engine) { return engine.name.size() + 2 <= kEngineNameColumns; }));

/// Reads an engine's command line and runs it, or prints what --help and --version ask for.
Status run_command_line(const Engine& engine, int argc, char** argv, Division* division) {
    const OptionSet options = engine.options();
    const auto values = options.parse(argc, argv);
    if (!values.ok()) return values.status();
    if (values->count("help") != 0) return print(options.help() + "\n");
    if (values->count("version") != 0) return print(version_line());
    if (engine.where_inputs_go != nullptr && !values->unmatched().empty()) {
        return Status::usage("unexpected argument '" + values->unmatched().front() + "'; " + engine.where_inputs_go);
    }
    return engine.run(*values, division);
}

/// Returns the names of all engines, in the order of the table.
std::string engine_names(std::string_view before_last) {
    std::string names;
    for (const Engine& engine : kEngines) {
        if (!names.empty()) names += &engine == &kEngines.back() ? before_last : ", ";
        names += engine.name;
    }
    return names;
}

/// Returns the help of search, which the table of engines makes.
std::string help_text() {
    const std::string merge = make_merge_options().usage();
    std::string usage, engines;
    for (const Engine& engine : kEngines) {
        usage += (usage.empty() ? "Usage: " : "       ") + engine.options().usage() + "\n";
        std::string name(engine.name);
        name.resize(kEngineNameColumns, ' ');
        engines += "  " + name + std::string(engine.summary) + "\n";
    }
    return usage + "       " + merge + "\n\nEngines:\n" + engines + std::string(kAfterEngines);
}

/// Merges the parts of a search. `texts` are the options that its engine was given, and `outputs`
/// those that the merge is given.
Status run_merged(const std::string& name, const std::vector<std::string>& texts,
                  const std::vector<std::string>& outputs, Division& division) {
    const auto engine = std::ranges::find(kEngines, name, &Engine::name);
    if (engine == kEngines.end()) return Status::invalid_input("the parts are of an unknown engine: " + name);
    OptionValues values = engine->options().values();
    for (const std::vector<std::string>* each : {&texts, &outputs}) {
        for (const std::string& text : *each) {
            const Status status = values.set_canonical(text);
            if (!status.ok()) return Status::usage("search " + name + ": " + status.message());
        }
    }
    return engine->run(values, &division);
}

}  // namespace

std::vector<CommandSyntax> search_syntax() {
    std::vector<CommandSyntax> all;
    for (const Engine& engine : kEngines) all.push_back({std::string(engine.name), engine.options().listed()});
    all.push_back({"merge", make_merge_options().listed()});
    return all;
}

Status run_search_engine(int argc, char** argv, Division& division, std::string& program) {
    const std::string_view name = argc > 1 ? argv[1] : "";
    const auto engine = std::ranges::find(kEngines, name, &Engine::name);
    if (engine == kEngines.end())
        return Status::usage("name an engine first: " + engine_names(" or ") + "; its options follow, as in search");
    program += " " + std::string(name);
    return run_command_line(*engine, argc - 1, argv + 1, &division);
}

int search_program(int argc, char** argv) {
    prepare_process("search");
    const std::string_view engine = argc > 1 ? argv[1] : "";
    if (const auto chosen = std::ranges::find(kEngines, engine, &Engine::name); chosen != kEngines.end()) {
        set_program_name(chosen->program);
        return end_of_search(report_status(
            chosen->program, guarded([&] { return run_command_line(*chosen, argc - 1, argv + 1, nullptr); })));
    }
    if (engine == "merge") {
        set_program_name("search merge");
        return end_of_search(
            report_status("search merge", guarded([&] { return run_merge_command(argc - 1, argv + 1, run_merged); })));
    }
    if (engine == "--help" || engine == "-h" || engine == "help") {
        return report_status("search", print(help_text()));
    }
    if (engine == "--version") {
        return report_status("search", print(version_line()));
    }
    std::string message = "no engine given; ";
    if (!engine.empty()) {
        std::vector<std::string_view> known = {"merge"};
        for (const Engine& each : kEngines) known.push_back(each.name);
        message = "unknown engine '" + std::string(engine) + "'" + did_you_mean(engine, known);
    }
    return report_status(
        "search", Status::usage(message + "the engines are: " + engine_names(", ") + " (search --help says more)"));
}

}  // namespace warpseq
