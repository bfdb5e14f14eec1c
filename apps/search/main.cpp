// `search ENGINE ...`: compares queries with databases. Each engine is a library call; this file only dispatches and prints.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "apps/common/command_line.h"
#include "apps/search/blastp/blastp_command.h"
#include "apps/search/hmm/hmm_command.h"
#include "apps/search/pair/pair_command.h"
#include "apps/search/sw/sw_command.h"

namespace {

constexpr std::string_view kUsage =
    "Usage: search sw|hmm|blastp -q QUERIES -d DATABASE.wsdb [options]\n"
    "       search pair QUERY.fasta TARGET.fasta [options]\n"
    "\n"
    "Engines:\n"
    "  sw       Smith-Waterman: exact local alignment of every query with every sequence\n"
    "  hmm      profile HMMs, or sequences made into profiles, as HMMER's hmmsearch and phmmer\n"
    "  blastp   protein BLAST: what NCBI blastp finds\n"
    "  pair     the best alignment of two sequences of any length, nucleotides or proteins\n"
    "\n"
    "search ENGINE --help lists an engine's options; search --version prints the version.\n";

}  // namespace

int main(int argc, char** argv) {
    using namespace warpseq;
    const std::string_view engine = argc > 1 ? argv[1] : "";
    if (engine == "sw" || engine == "hmm" || engine == "blastp" || engine == "pair") {
        const auto run = engine == "sw"       ? run_sw_command
                         : engine == "hmm"    ? run_hmm_command
                         : engine == "blastp" ? run_blastp_command
                                              : run_pair_command;
        const int status = report_status("search " + std::string(engine), guarded([&] { return run(argc - 1, argv + 1); }));
        std::fflush(stdout);
#if WARPSEQ_HAVE_CUDA
        // Every report is written and synced by now; the CUDA run-time's own clean-up would only cost time.
        std::_Exit(status);
#endif
        return status;
    }
    if (engine == "--help" || engine == "-h" || engine == "help") {
        std::fwrite(kUsage.data(), 1, kUsage.size(), stdout);
        return 0;
    }
    if (engine == "--version") {
        std::printf("search (warpseq) %s\n", std::string(program_version()).c_str());
        return 0;
    }
    const std::string found = engine.empty() ? "no engine given" : "unknown engine '" + std::string(engine) + "'";
    return report_status("search", Status::usage(found + "; the engines are: sw, hmm, blastp, pair (search --help says more)"));
}
