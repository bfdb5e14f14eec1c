#include "apps/dropin/blastp_arguments.h"

#include <limits>

namespace warpseq {
namespace {

using Kind = BlastOption::Kind;
constexpr double kMost = std::numeric_limits<double>::infinity();

constexpr const char* kGroups[] = {"Input query options",  "General search options",  "BLAST-2-Sequences options",
                                   "Formatting options",   "Query filtering options", "Restrict search or results",
                                   "Statistical options",  "Search strategy options", "Extension options",
                                   "Miscellaneous options"};

constexpr BlastOption kOptions[] = {
    {.name = "import_search_strategy",
     .group = "Search strategy options",
     .kind = Kind::kFileIn,
     .argument = "filename",
     .help = "Search as this file says\n"
             "warpseq: not supported",
     .excludes = "export_search_strategy"},
    {.name = "export_search_strategy",
     .group = "Search strategy options",
     .kind = Kind::kFileOut,
     .argument = "filename",
     .help = "Write what is searched, and how, to this file\n"
             "warpseq: not supported",
     .excludes = "import_search_strategy"},
    {.name = "task",
     .group = "General search options",
     .kind = Kind::kText,
     .argument = "task_name",
     .help = "Which defaults to take",
     .standard = "blastp",
     .choices = "Permissible values: 'blastp' 'blastp-fast' 'blastp-short' "},
    {.name = "db",
     .group = "General search options",
     .kind = Kind::kText,
     .argument = "database_name",
     .help = "Database: a name given to makeblastdb, a .wsdb file or a FASTA file.\n"
             "Several names stand apart by blanks; names with blanks go in double quotes",
     .excludes = "subject subject_loc"},
    {.name = "dbsize",
     .group = "Statistical options",
     .kind = Kind::kInteger8,
     .argument = "num_letters",
     .help = "Residues that E-values count the database as"},
    {.name = "gilist",
     .group = "Restrict search or results",
     .kind = Kind::kText,
     .argument = "filename",
     .help = "Search these GIs only\n"
             "warpseq: not supported",
     .excludes = "seqidlist taxids taxidlist negative_gilist negative_seqidlist negative_taxids negative_taxidlist "
                 "remote subject subject_loc"},
    {.name = "seqidlist",
     .group = "Restrict search or results",
     .kind = Kind::kText,
     .argument = "filename",
     .help = "Search these sequences only\n"
             "warpseq: not supported",
     .excludes = "gilist taxids taxidlist negative_gilist negative_seqidlist negative_taxids negative_taxidlist remote "
                 "subject subject_loc"},
    {.name = "negative_gilist",
     .group = "Restrict search or results",
     .kind = Kind::kText,
     .argument = "filename",
     .help = "Leave these GIs out\n"
             "warpseq: not supported",
     .excludes = "gilist seqidlist taxids taxidlist negative_seqidlist negative_taxids negative_taxidlist remote "
                 "subject subject_loc"},
    {.name = "negative_seqidlist",
     .group = "Restrict search or results",
     .kind = Kind::kText,
     .argument = "filename",
     .help = "Leave these sequences out\n"
             "warpseq: not supported",
     .excludes = "gilist seqidlist taxids taxidlist negative_gilist negative_taxids negative_taxidlist remote subject "
                 "subject_loc"},
    {.name = "taxids",
     .group = "Restrict search or results",
     .kind = Kind::kText,
     .argument = "taxids",
     .help = "Search these taxa only\n"
             "warpseq: not supported",
     .excludes = "gilist seqidlist taxidlist negative_gilist negative_seqidlist negative_taxids negative_taxidlist "
                 "remote subject subject_loc"},
    {.name = "negative_taxids",
     .group = "Restrict search or results",
     .kind = Kind::kText,
     .argument = "taxids",
     .help = "Leave these taxa out\n"
             "warpseq: not supported",
     .excludes = "gilist seqidlist taxids taxidlist negative_gilist negative_seqidlist negative_taxidlist remote "
                 "subject subject_loc"},
    {.name = "taxidlist",
     .group = "Restrict search or results",
     .kind = Kind::kText,
     .argument = "filename",
     .help = "Search the taxa of this file only\n"
             "warpseq: not supported",
     .excludes = "gilist seqidlist taxids negative_gilist negative_seqidlist negative_taxids negative_taxidlist remote "
                 "subject subject_loc"},
    {.name = "negative_taxidlist",
     .group = "Restrict search or results",
     .kind = Kind::kText,
     .argument = "filename",
     .help = "Leave the taxa of this file out\n"
             "warpseq: not supported",
     .excludes = "gilist seqidlist taxids taxidlist negative_gilist negative_seqidlist negative_taxids remote subject "
                 "subject_loc"},
    {.name = "ipglist",
     .group = "Restrict search or results",
     .kind = Kind::kText,
     .argument = "filename",
     .help = "Search these IPGs only\n"
             "warpseq: not supported",
     .excludes = "subject subject_loc"},
    {.name = "negative_ipglist",
     .group = "Restrict search or results",
     .kind = Kind::kText,
     .argument = "filename",
     .help = "Leave these IPGs out\n"
             "warpseq: not supported",
     .excludes = "subject subject_loc"},
    {.name = "entrez_query",
     .group = "Restrict search or results",
     .kind = Kind::kText,
     .argument = "entrez_query",
     .help = "Search what an Entrez query finds only\n"
             "warpseq: not supported",
     .needs = "remote"},
    {.name = "db_soft_mask",
     .group = "Restrict search or results",
     .kind = Kind::kText,
     .argument = "filtering_algorithm",
     .help = "Mask the database for words only\n"
             "warpseq: not supported",
     .excludes = "db_hard_mask subject subject_loc"},
    {.name = "db_hard_mask",
     .group = "Restrict search or results",
     .kind = Kind::kText,
     .argument = "filtering_algorithm",
     .help = "Mask the database\n"
             "warpseq: not supported",
     .excludes = "db_soft_mask subject subject_loc"},
    {.name = "subject",
     .group = "BLAST-2-Sequences options",
     .kind = Kind::kFileIn,
     .argument = "subject_input_file",
     .help = "Search the sequences of this FASTA file",
     .excludes = "db gilist seqidlist negative_gilist negative_seqidlist taxids taxidlist negative_taxids "
                 "negative_taxidlist ipglist negative_ipglist db_soft_mask db_hard_mask"},
    {.name = "subject_loc",
     .group = "BLAST-2-Sequences options",
     .kind = Kind::kText,
     .argument = "range",
     .help = "Search a range of each of them, as in 10-250; positions count from 1\n"
             "warpseq: not supported",
     .excludes = "db gilist seqidlist negative_gilist negative_seqidlist taxids taxidlist negative_taxids "
                 "negative_taxidlist ipglist negative_ipglist db_soft_mask db_hard_mask remote"},
    {.name = "query",
     .group = "Input query options",
     .kind = Kind::kFileIn,
     .argument = "input_file",
     .help = "FASTA file of queries",
     .standard = "-"},
    {.name = "out",
     .group = "General search options",
     .kind = Kind::kFileOut,
     .argument = "output_file",
     .help = "Where the report goes",
     .standard = "-"},
    {.name = "evalue",
     .group = "General search options",
     .kind = Kind::kReal,
     .argument = "evalue",
     .help = "Report alignments up to this E-value",
     .standard = "10"},
    {.name = "word_size",
     .group = "General search options",
     .kind = Kind::kInteger,
     .argument = "int_value",
     .help = "Residues of a word",
     .range = {">=2", 2, kMost}},
    {.name = "gapopen",
     .group = "General search options",
     .kind = Kind::kInteger,
     .argument = "open_penalty",
     .help = "Cost of opening a gap"},
    {.name = "gapextend",
     .group = "General search options",
     .kind = Kind::kInteger,
     .argument = "extend_penalty",
     .help = "Cost of each residue in a gap"},
    {.name = "qcov_hsp_perc",
     .group = "Restrict search or results",
     .kind = Kind::kReal,
     .argument = "float_value",
     .help = "Leave alignments out that cover less of the query, in per cent",
     .range = {"0..100", 0, 100}},
    {.name = "max_hsps",
     .group = "Restrict search or results",
     .kind = Kind::kInteger,
     .argument = "int_value",
     .help = "Most alignments of a query with one sequence",
     .range = {">=1", 1, kMost}},
    {.name = "xdrop_ungap",
     .group = "Extension options",
     .kind = Kind::kReal,
     .argument = "float_value",
     .help = "X-drop of ungapped extensions, in bits"},
    {.name = "xdrop_gap",
     .group = "Extension options",
     .kind = Kind::kReal,
     .argument = "float_value",
     .help = "X-drop of first gapped extensions, in bits"},
    {.name = "xdrop_gap_final",
     .group = "Extension options",
     .kind = Kind::kReal,
     .argument = "float_value",
     .help = "X-drop of final alignments, in bits"},
    {.name = "searchsp",
     .group = "Statistical options",
     .kind = Kind::kInteger8,
     .argument = "int_value",
     .help = "Effective search space of every query",
     .range = {">=0", 0, kMost}},
    {.name = "seg",
     .group = "Query filtering options",
     .kind = Kind::kText,
     .argument = "SEG_options",
     .help = "Mask low complexity in queries: 'yes', 'no', or window, low and high\n"
             "complexity as in '12 2.2 2.5'",
     .standard = "no"},
    {.name = "soft_masking",
     .group = "Query filtering options",
     .kind = Kind::kBoolean,
     .argument = "soft_masking",
     .help = "Mask for words only",
     .standard = "false"},
    {.name = "matrix",
     .group = "General search options",
     .kind = Kind::kText,
     .argument = "matrix_name",
     .help = "BLOSUM45, 50, 62, 80, 90, PAM30, 70, 250 or IDENTITY"},
    {.name = "threshold",
     .group = "General search options",
     .kind = Kind::kReal,
     .argument = "float_value",
     .help = "Least score of a neighbouring word",
     .range = {">=0", 0, kMost}},
    {.name = "culling_limit",
     .group = "Restrict search or results",
     .kind = Kind::kInteger,
     .argument = "int_value",
     .help = "Leave hits out whose range of the query lies in those of so many better\n"
             "ones\n"
             "warpseq: not supported but for 0, which leaves none out",
     .excludes = "best_hit_overhang best_hit_score_edge",
     .range = {">=0", 0, kMost}},
    {.name = "best_hit_overhang",
     .group = "Restrict search or results",
     .kind = Kind::kReal,
     .argument = "float_value",
     .help = "Overhang of best hits\n"
             "warpseq: not supported",
     .excludes = "culling_limit",
     .range = {"(>0 and <0.5)", 0, 0.5, true}},
    {.name = "best_hit_score_edge",
     .group = "Restrict search or results",
     .kind = Kind::kReal,
     .argument = "float_value",
     .help = "Score edge of best hits\n"
             "warpseq: not supported",
     .excludes = "culling_limit",
     .range = {"(>0 and <0.5)", 0, 0.5, true}},
    {.name = "subject_besthit",
     .group = "Restrict search or results",
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Only the best hits of each sequence\n"
             "warpseq: not supported"},
    {.name = "window_size",
     .group = "Extension options",
     .kind = Kind::kInteger,
     .argument = "int_value",
     .help = "Residues within which two words start an extension; 0: one word does",
     .range = {">=0", 0, kMost}},
    {.name = "lcase_masking",
     .group = "Query filtering options",
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Mask lower-case letters of queries"},
    {.name = "query_loc",
     .group = "Input query options",
     .kind = Kind::kText,
     .argument = "range",
     .help = "Search with a range of each query, as in 10-250; positions count from 1"},
    {.name = "parse_deflines",
     .group = "Miscellaneous options",
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Read identifiers of NCBI in definition lines\n"
             "warpseq: not supported"},
    {.name = "outfmt",
     .group = "Formatting options",
     .kind = Kind::kText,
     .argument = "format",
     .help = "0 = pairwise text\n"
             "5 = XML\n"
             "6 = tab-separated\n"
             "7 = tab-separated with comments\n"
             "10 = comma-separated\n"
             "13 = JSON, a file for each query\n"
             "14 = XML2, a file for each query\n"
             "15 = JSON\n"
             "16 = XML2\n"
             "1 to 4, 8, 9, 11, 12 and 18 are not supported\n"
             "Columns of formats 6, 7 and 10, as in '6 qseqid sseqid score'; 'delim=X'\n"
             "in front of them sets the separator:\n"
             "query: qseqid qgi qacc qaccver qlen qstart qend qseq qframe\n"
             "subject: sseqid sallseqid sgi sallgi sacc saccver sallacc slen sstart\n"
             " send sseq sframe sstrand stitle salltitles\n"
             "alignment: evalue bitscore score length pident nident mismatch positive\n"
             " gapopen gaps ppos frames btop qcovs qcovhsp qcovus\n"
             "taxonomy (nothing is known of it): staxid ssciname scomname sblastname\n"
             " sskingdom staxids sscinames scomnames sblastnames sskingdoms\n"
             "std stands for qaccver saccver pident length mismatch gapopen qstart qend\n"
             " sstart send evalue bitscore, which are the columns where none are named",
     .standard = "0"},
    {.name = "show_gis",
     .group = "Formatting options",
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Show GIs; databases of warpseq have none"},
    {.name = "num_descriptions",
     .group = "Formatting options",
     .kind = Kind::kInteger,
     .argument = "int_value",
     .help = "Lines in the table of hits, in format 0; 500 by default",
     .excludes = "max_target_seqs",
     .range = {">=0", 0, kMost}},
    {.name = "num_alignments",
     .group = "Formatting options",
     .kind = Kind::kInteger,
     .argument = "int_value",
     .help = "Sequences with alignments, in format 0; 250 by default",
     .excludes = "max_target_seqs",
     .range = {">=0", 0, kMost}},
    {.name = "line_length",
     .group = "Formatting options",
     .kind = Kind::kInteger,
     .argument = "line_length",
     .help = "Columns of an alignment in a line of format 0",
     .standard = "60",
     .range = {">=1", 1, kMost}},
    {.name = "html",
     .group = "Formatting options",
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Report as HTML\n"
             "warpseq: not supported"},
    {.name = "sorthits",
     .group = "Formatting options",
     .kind = Kind::kInteger,
     .argument = "sort_hits",
     .help = "Order of hits in format 0\n"
             "warpseq: not supported",
     .range = {"(>=0 and =<4)", 0, 4}},
    {.name = "sorthsps",
     .group = "Formatting options",
     .kind = Kind::kInteger,
     .argument = "sort_hsps",
     .help = "Order of the alignments with one sequence in format 0: 0 by E-value,\n"
             "1 by score, 2 by query start, 3 by identity, 4 by subject start\n"
             "warpseq: not supported",
     .range = {"(>=0 and =<4)", 0, 4}},
    {.name = "max_target_seqs",
     .group = "Restrict search or results",
     .kind = Kind::kInteger,
     .argument = "num_sequences",
     .help = "Most sequences reported for a query; 500 by default",
     .excludes = "num_descriptions num_alignments",
     .range = {">=1", 1, kMost}},
    {.name = "num_threads",
     .group = "Miscellaneous options",
     .kind = Kind::kInteger,
     .argument = "int_value",
     .help = "Threads of the host; GPUs are used besides where there are some",
     .standard = "1",
     .excludes = "remote",
     .range = {">=1", 1, kMost}},
    {.name = "mt_mode",
     .group = "Miscellaneous options",
     .kind = Kind::kInteger,
     .argument = "int_value",
     .help = "Without effect: work is split among threads as needed",
     .standard = "0",
     .needs = "num_threads",
     .range = {"(>=0 and =<1)", 0, 1}},
    {.name = "ungapped",
     .group = "Extension options",
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Ungapped alignments only\n"
             "warpseq: not supported"},
    {.name = "remote",
     .group = "Miscellaneous options",
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Search at NCBI\n"
             "warpseq: not supported",
     .excludes = "gilist seqidlist taxids taxidlist negative_gilist negative_seqidlist negative_taxids "
                 "negative_taxidlist subject_loc num_threads"},
    {.name = "comp_based_stats",
     .group = "General search options",
     .kind = Kind::kText,
     .argument = "compo",
     .help = "Composition-based statistics:\n"
             "0, F, f: none\n"
             "1: scaled scores\n"
             "2, T, t, D, d: adjusted matrices, where compositions ask for it\n"
             "3: adjusted matrices always",
     .standard = "2"},
    {.name = "use_sw_tback",
     .group = "Miscellaneous options",
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Smith-Waterman instead of X-drop for final alignments\n"
             "warpseq: not supported"},
};

}  // namespace

const BlastProgram& blastp_grammar() {
    static constexpr BlastProgram kProgram{"blastp", "Protein BLAST: warpseq in the place of NCBI BLAST+ 2.12.0",
                                           kGroups, kOptions};
    return kProgram;
}

}  // namespace warpseq
