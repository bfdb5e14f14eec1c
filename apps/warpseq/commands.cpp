#include "apps/warpseq/commands.h"

#include <algorithm>
#include <array>
#include <string>

#include "apps/dbconv/dbconv_program.h"
#include "apps/dropin/blastdbcmd_program.h"
#include "apps/dropin/blastp_program.h"
#include "apps/dropin/hmmalign_program.h"
#include "apps/dropin/hmmbuild_program.h"
#include "apps/dropin/hmmconvert_program.h"
#include "apps/dropin/hmmemit_program.h"
#include "apps/dropin/hmmer_programs.h"
#include "apps/dropin/hmmfetch_program.h"
#include "apps/dropin/hmmscan_program.h"
#include "apps/dropin/hmmstat_program.h"
#include "apps/dropin/jackhmmer_program.h"
#include "apps/dropin/makeblastdb_program.h"
#include "apps/inspect/inspect_program.h"
#include "apps/search/search_program.h"
#include "options/dbconv/dbconv_options.h"
#include "options/inspect/inspect_options.h"

namespace warpseq {
namespace {

std::vector<CommandSyntax> dbconv_syntax() {
    std::vector<CommandSyntax> all;
    all.push_back({"", make_dbconv_options().listed()});
    return all;
}

constexpr auto kCommands = std::to_array<WarpseqCommand>({
    {"dbconv", "makes a database of protein sequences from FASTA", false, dbconv_program, dbconv_syntax},
    {"search", "compares queries with databases; search --help lists its engines", false, search_program,
     search_syntax},
    {"inspect", "what is in a database, and whether it is sound", false, inspect_program, inspect_syntax},
    {"hmmsearch", "HMMER: profiles against sequences", true, hmmsearch_program, hmmsearch_syntax},
    {"hmmscan", "HMMER: sequences against profiles", true, hmmscan_program, hmmscan_syntax},
    {"hmmfetch", "HMMER: profiles out of files of them", true, hmmfetch_program, hmmfetch_syntax},
    {"hmmemit", "HMMER: sequences that profiles emit", true, hmmemit_program, hmmemit_syntax},
    {"hmmstat", "HMMER: figures of profiles", true, hmmstat_program, hmmstat_syntax},
    {"hmmconvert", "HMMER: profiles in other formats", true, hmmconvert_program, hmmconvert_syntax},
    {"hmmpress", "HMMER: prepares files of profiles for hmmscan", true, hmmpress_program, hmmpress_syntax},
    {"phmmer", "HMMER: sequences against sequences, as profiles", true, phmmer_program, phmmer_syntax},
    {"hmmalign", "HMMER: sequences aligned to a profile", true, hmmalign_program, hmmalign_syntax},
    {"jackhmmer", "HMMER: sequences against sequences, in rounds", true, jackhmmer_program, jackhmmer_syntax},
    {"hmmbuild", "HMMER: profiles of alignments", true, hmmbuild_program, hmmbuild_syntax},
    {"blastp", "NCBI BLAST+: sequences against sequences", true, blastp_program, blastp_syntax},
    {"makeblastdb", "NCBI BLAST+: makes databases", true, makeblastdb_program, makeblastdb_syntax},
    {"blastdbcmd", "NCBI BLAST+: sequences out of databases", true, blastdbcmd_program, blastdbcmd_syntax},
});

}  // namespace

std::span<const WarpseqCommand> warpseq_commands() { return kCommands; }

const WarpseqCommand* find_warpseq_command(std::string_view name) {
    const auto found = std::ranges::find(kCommands, name, &WarpseqCommand::name);
    return found == kCommands.end() ? nullptr : &*found;
}

}  // namespace warpseq
