#include "apps/search/search_program.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "apps/common/command_line.h"
#include "apps/common/process.h"
#include "apps/search/blastp/blastp_command.h"
#include "apps/search/blastp/blastp_options.h"
#include "apps/search/division.h"
#include "apps/search/hmm/hmm_command.h"
#include "apps/search/hmm/hmm_options.h"
#include "apps/search/hmmalign/hmmalign_command.h"
#include "apps/search/hmmbuild/hmmbuild_command.h"
#include "apps/search/hmmbuild/hmmbuild_options.h"
#include "apps/search/hmmfetch/hmmfetch_command.h"
#include "apps/search/hmmscan/hmmpress_command.h"
#include "apps/search/hmmscan/hmmscan_command.h"
#include "apps/search/hmmscan/hmmscan_options.h"
#include "apps/search/jackhmmer/jackhmmer_command.h"
#include "apps/search/jackhmmer/jackhmmer_options.h"
#include "apps/search/merge_command.h"
#include "apps/search/pair/pair_command.h"
#include "apps/search/pair/pair_options.h"
#include "apps/search/search_driver.h"
#include "apps/search/sw/sw_command.h"
#include "formats/io/output_sink.h"
#include "libcore/base/version.h"

namespace warpseq {
namespace {

constexpr std::string_view kUsage =
    "Usage: search sw|hmm|jackhmmer|blastp -q QUERIES -d DATABASE.wsdb [options]\n"
    "       search hmmscan -q SEQUENCES.fasta -d PROFILES.hmm [options]\n"
    "       search hmmbuild -q ALIGNMENTS -o PROFILES.hmm [options]\n"
    "       search pair QUERY.fasta TARGET.fasta [options]\n"
    "       search hmmalign -q PROFILE.hmm -d SEQUENCES [options]\n"
    "       search merge FOLDER -o REPORT [options]\n"
    "\n"
    "Engines:\n"
    "  sw         Smith-Waterman: exact local alignments of queries with all sequences\n"
    "  hmm        profile HMMs, or sequences as profiles: HMMER's hmmsearch, phmmer\n"
    "  hmmscan    sequences against a file of profiles: HMMER's hmmscan\n"
    "  hmmpress   prepares a file of profiles for hmmscan: HMMER's hmmpress\n"
    "  hmmfetch   profiles out of a file of them: HMMER's hmmfetch\n"
    "  jackhmmer  sequences as profiles, in rounds: HMMER's jackhmmer\n"
    "  hmmbuild   profiles of alignments: HMMER's hmmbuild\n"
    "  blastp     protein BLAST: what NCBI blastp finds\n"
    "  pair       the best alignment of two sequences of any length, of any letters\n"
    "  hmmalign   sequences aligned to a profile: HMMER's hmmalign\n"
    "\n"
    "--part K/N --work-dir FOLDER searches a part of the databases, or of the pairs of\n"
    "pair --all-pairs and --pairs; merge makes the report of all parts, that of one\n"
    "search.\n"
    "\n"
    "search ENGINE --help lists an engine's options; search --version prints the\n"
    "version.\n";

struct Engine {
    std::string_view name, program;  // the latter begins messages
    Status (*run)(int argc, char** argv, Division* division);
    OptionSet (*options)();
};
constexpr auto kEngines = std::to_array<Engine>({
    {"sw", "search sw", run_sw_command, make_sw_options},
    {"hmm", "search hmm", run_hmm_command, make_hmm_options},
    {"hmmscan", "search hmmscan", run_hmmscan_command, make_hmmscan_options},
    {"hmmpress", "search hmmpress", run_hmmpress_command, make_hmmpress_options},
    {"hmmfetch", "search hmmfetch", run_hmmfetch_command, make_hmmfetch_options},
    {"jackhmmer", "search jackhmmer", run_jackhmmer_command, make_jackhmmer_options},
    {"hmmalign", "search hmmalign", run_hmmalign_command, make_hmmalign_options},
    {"hmmbuild", "search hmmbuild", run_hmmbuild_command, make_hmmbuild_options},
    {"blastp", "search blastp", run_blastp_command, make_blastp_options},
    {"pair", "search pair", run_pair_command, make_pair_options},
});

/// All of them, in the order of the table.
std::string engine_names(std::string_view before_last) {
    std::string names;
    for (const Engine& engine : kEngines) {
        if (!names.empty()) names += &engine == &kEngines.back() ? before_last : ", ";
        names += engine.name;
    }
    return names;
}

Status run_engine(const std::string& name, int argc, char** argv, Division& division) {
    const auto engine = std::ranges::find(kEngines, name, &Engine::name);
    if (engine == kEngines.end()) return Status::invalid_input("parts of an engine that is not known: " + name);
    return engine->run(argc, argv, &division);
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
        return Status::usage("name an engine first: " + engine_names(" or ") +
                             ", with the options that search has for it");
    program += " " + std::string(name);
    return engine->run(argc - 1, argv + 1, &division);
}

int search_program(int argc, char** argv) {
    prepare_process("search");
    const std::string_view engine = argc > 1 ? argv[1] : "";
    if (const auto chosen = std::ranges::find(kEngines, engine, &Engine::name); chosen != kEngines.end()) {
        set_program_name(chosen->program);
        return end_of_search(
            report_status(chosen->program, guarded([&] { return chosen->run(argc - 1, argv + 1, nullptr); })));
    }
    if (engine == "merge") {
        set_program_name("search merge");
        return end_of_search(
            report_status("search merge", guarded([&] { return run_merge_command(argc - 1, argv + 1, run_engine); })));
    }
    if (engine == "--help" || engine == "-h" || engine == "help") {
        return report_status("search", print(kUsage));
    }
    if (engine == "--version") {
        return report_status("search", print("search (warpseq) " + std::string(program_version()) + "\n"));
    }
    const std::string found = engine.empty() ? "no engine given" : "unknown engine '" + std::string(engine) + "'";
    return report_status(
        "search", Status::usage(found + "; the engines are: " + engine_names(", ") + " (search --help says more)"));
}

}  // namespace warpseq
