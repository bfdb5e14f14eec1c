#include "apps/dropin/hmmer_options.h"

#include "options/hmm/hmm_rows.h"

namespace warpseq {
constinit const HmmerSearchProgram kHmmsearch = {
    .program = {.name = "hmmsearch",
                .banner = "search profile(s) against a sequence database",
                .usage = "[options] <hmmfile> <seqdb>",
                .brief_title = "where most common options are:",
                .groups = hmm_rows::kHmmsearchGroups,
                .has_bare_parse_failures = true},
    .query_argument = "<hmmfile>",
    .takes_profiles = true,
    .alignment_label = "MSA of all hits saved to file:",
    .query_format_label = "",
    .target_format_label = "targ <seqfile> format asserted:",
    .outputs = {{{"-o", "\nError: Failed to open output file * for writing\n\n"},
                 {"-A", "\nError: Failed to open alignment file * for writing\n\n"},
                 {"--tblout", "Failed to open tabular per-seq output file * for writing\n\n"},
                 {"--domtblout", "Failed to open tabular per-dom output file * for writing\n\n"},
                 {"--pfamtblout", "Failed to open pfam-style tabular output file * for writing\n\n"}}},
};

constinit const HmmerSearchProgram kPhmmer = {
    .program = {.name = "phmmer",
                .banner = "search a protein sequence against a protein database",
                .usage = "[-options] <seqfile> <seqdb>",
                .brief_title = "where basic options are:",
                .groups = hmm_rows::kPhmmerGroups},
    .query_argument = "<seqfile>",
    .takes_profiles = false,
    .alignment_label = "MSA of hits saved to file:",
    .query_format_label = "query <seqfile> format asserted:",
    .target_format_label = "target <seqdb> format asserted:",
    // phmmer's messages about two tables are about options that it does not have.
    .outputs = {{{"-o", "\nError: Failed to open output file * for writing\n\n"},
                 {"-A", "\nError: Failed to open alignment output file * for writing\n\n"},
                 {"--tblout", "no such option --tblfp\n\n"},
                 {"--domtblout", "no such option --domtblfp\n\n"},
                 {"--pfamtblout", "Failed to open pfam-style tabular output file * for writing\n\n"}}},
};

}  // namespace warpseq
