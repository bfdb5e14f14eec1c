#include "options/blastp/blastp_rows.h"

#include "options/search/table_header.h"

namespace warpseq {
namespace {

constexpr const char* kGroups[] = {"Input query options",  "General search options",  "BLAST-2-Sequences options",
                                   "Formatting options",   "Query filtering options", "Restrict search or results",
                                   "Statistical options",  "Search strategy options", "Extension options",
                                   "Miscellaneous options"};

constexpr OptionRow kRows[] = {
    {.type = OptionType::kFileIn,
     .excludes = "export_search_strategy",
     .is_supported = false,
     .blast = {"import_search_strategy", "Search strategy options", "filename", "Search as this file says"}},
    {.type = OptionType::kFileOut,
     .excludes = "import_search_strategy",
     .is_supported = false,
     .blast = {"export_search_strategy", "Search strategy options", "filename",
               "Write what is searched, and how, to this file"}},
    {.type = OptionType::kText,
     .standard = "blastp",
     .choices = "Permissible values: 'blastp' 'blastp-fast' 'blastp-short' ",
     .warpseq = {"task", "NAME", "blastp, blastp-short or blastp-fast", 1, "Scoring"},
     .blast = {"task", "General search options", "task_name", "Which defaults to take"}},
    {.type = OptionType::kText,
     .excludes = "subject subject_loc",
     .blast = {"db", "General search options", "database_name",
               "Database: a name given to makeblastdb, a .wsdb file or a FASTA file.\n"
               "Several names stand apart by blanks; names with blanks go in double quotes"}},
    {.type = OptionType::kInteger8,
     .warpseq = {"dbsize", "N", "residues that E-values count the database as; 0 is its own", 15, "Reporting"},
     .blast = {"dbsize", "Statistical options", "num_letters", "Residues that E-values count the database as"}},
    {.type = OptionType::kText,
     .excludes = "seqidlist taxids taxidlist negative_gilist negative_seqidlist negative_taxids negative_taxidlist "
                 "remote subject subject_loc",
     .is_supported = false,
     .blast = {"gilist", "Restrict search or results", "filename", "Search these GIs only"}},
    {.type = OptionType::kText,
     .excludes = "gilist taxids taxidlist negative_gilist negative_seqidlist negative_taxids negative_taxidlist remote "
                 "subject subject_loc",
     .warpseq = {"seqidlist", "FILE", "search these sequences only: a file with an identifier a line", 9, "Reporting"},
     .blast = {"seqidlist", "Restrict search or results", "filename",
               "Search these sequences only: a file with an identifier a line"}},
    {.type = OptionType::kText,
     .excludes = "gilist seqidlist taxids taxidlist negative_seqidlist negative_taxids negative_taxidlist remote "
                 "subject subject_loc",
     .is_supported = false,
     .blast = {"negative_gilist", "Restrict search or results", "filename", "Leave these GIs out"}},
    {.type = OptionType::kText,
     .excludes = "gilist seqidlist taxids taxidlist negative_gilist negative_taxids negative_taxidlist remote subject "
                 "subject_loc",
     .warpseq = {"negative_seqidlist,negative-seqidlist", "FILE",
                 "leave the sequences of this file out; also --negative-seqidlist", 10, "Reporting"},
     .blast = {"negative_seqidlist", "Restrict search or results", "filename", "Leave the sequences of this file out"}},
    {.type = OptionType::kText,
     .excludes = "gilist seqidlist taxidlist negative_gilist negative_seqidlist negative_taxids negative_taxidlist "
                 "remote subject subject_loc",
     .warpseq = {"taxids", "LIST", "search sequences of these taxonomy IDs only, as 9606,10090", 11, "Reporting"},
     .blast = {"taxids", "Restrict search or results", "taxids", "Search these taxa only"}},
    {.type = OptionType::kText,
     .excludes = "gilist seqidlist taxids taxidlist negative_gilist negative_seqidlist negative_taxidlist remote "
                 "subject subject_loc",
     .warpseq = {"negative-taxids,negative_taxids", "LIST",
                 "leave sequences of these taxonomy IDs out; also --negative_taxids", 13, "Reporting"},
     .blast = {"negative_taxids", "Restrict search or results", "taxids", "Leave these taxa out"}},
    {.type = OptionType::kText,
     .excludes = "gilist seqidlist taxids negative_gilist negative_seqidlist negative_taxids negative_taxidlist remote "
                 "subject subject_loc",
     .warpseq = {"taxidlist", "FILE", "the same, from a file with a taxonomy ID a line", 12, "Reporting"},
     .blast = {"taxidlist", "Restrict search or results", "filename", "Search the taxa of this file only"}},
    {.type = OptionType::kText,
     .excludes = "gilist seqidlist taxids taxidlist negative_gilist negative_seqidlist negative_taxids remote subject "
                 "subject_loc",
     .warpseq = {"negative-taxidlist,negative_taxidlist", "FILE",
                 "leave those of this file out; also --negative_taxidlist", 14, "Reporting"},
     .blast = {"negative_taxidlist", "Restrict search or results", "filename", "Leave the taxa of this file out"}},
    {.type = OptionType::kText,
     .excludes = "subject subject_loc",
     .is_supported = false,
     .blast = {"ipglist", "Restrict search or results", "filename", "Search these IPGs only"}},
    {.type = OptionType::kText,
     .excludes = "subject subject_loc",
     .is_supported = false,
     .blast = {"negative_ipglist", "Restrict search or results", "filename", "Leave these IPGs out"}},
    {.type = OptionType::kText,
     .needs = "remote",
     .is_supported = false,
     .blast = {"entrez_query", "Restrict search or results", "entrez_query", "Search what an Entrez query finds only"}},
    {.type = OptionType::kText,
     .excludes = "db_hard_mask subject subject_loc",
     .is_supported = false,
     .blast = {"db_soft_mask", "Restrict search or results", "filtering_algorithm",
               "Mask the database for words only"}},
    {.type = OptionType::kText,
     .excludes = "db_soft_mask subject subject_loc",
     .is_supported = false,
     .blast = {"db_hard_mask", "Restrict search or results", "filtering_algorithm", "Mask the database"}},
    {.type = OptionType::kFileIn,
     .excludes = "db gilist seqidlist negative_gilist negative_seqidlist taxids taxidlist negative_taxids "
                 "negative_taxidlist ipglist negative_ipglist db_soft_mask db_hard_mask",
     .blast = {"subject", "BLAST-2-Sequences options", "subject_input_file",
               "Search the sequences of this FASTA file"}},
    {.type = OptionType::kText,
     .excludes = "db gilist seqidlist negative_gilist negative_seqidlist taxids taxidlist negative_taxids "
                 "negative_taxidlist ipglist negative_ipglist db_soft_mask db_hard_mask remote",
     .blast = {"subject_loc", "BLAST-2-Sequences options", "range",
               "Search a range of each of them, as in 10-250; positions count from 1"}},
    {.type = OptionType::kFileIn,
     .standard = "-",
     .blast = {"query", "Input query options", "input_file", "FASTA file of queries"}},
    {.type = OptionType::kFileOut,
     .standard = "-",
     .blast = {"out", "General search options", "output_file", "Where the report goes"}},
    {.type = OptionType::kReal,
     .standard = "10",
     .warpseq = {"evalue", "E", "report alignments up to this E-value", 1, "Reporting"},
     .blast = {"evalue", "General search options", "evalue", "Report alignments up to this E-value"}},
    {.type = OptionType::kInteger,
     .range = {">=2", 2},
     .warpseq = {"word_size", "N", "residues of a word, 2 to 7 (default 3; blastp-short 2, blastp-fast 6)", 1,
                 "Search"},
     .blast = {"word_size", "General search options", "int_value", "Residues of a word"}},
    {.type = OptionType::kInteger,
     .warpseq = {"gap-open,gapopen", "N", "cost to open a gap (default: BLAST's for the matrix); also --gapopen", 3,
                 "Scoring"},
     .blast = {"gapopen", "General search options", "open_penalty", "Cost of opening a gap"}},
    {.type = OptionType::kInteger,
     .warpseq = {"gap-extend,gapextend", "N", "cost of each residue in a gap (default: likewise); also --gapextend", 4,
                 "Scoring"},
     .blast = {"gapextend", "General search options", "extend_penalty", "Cost of each residue in a gap"}},
    {.type = OptionType::kReal,
     .range = {"0..100", 0, 100},
     .warpseq = {"qcov_hsp_perc", "PERCENT", "leave out alignments that cover less of the query", 4, "Reporting"},
     .blast = {"qcov_hsp_perc", "Restrict search or results", "float_value",
               "Leave alignments out that cover less of the query, in per cent"}},
    {.type = OptionType::kInteger,
     .range = {">=1", 1},
     .warpseq = {"max_hsps", "N", "report at most N alignments per sequence (default: all)", 3, "Reporting"},
     .blast = {"max_hsps", "Restrict search or results", "int_value", "Most alignments of a query with one sequence"}},
    {.type = OptionType::kReal,
     .warpseq = {"xdrop_ungap", "BITS", "X-drop of ungapped extensions in bits (default 7)", 5, "Search"},
     .blast = {"xdrop_ungap", "Extension options", "float_value", "X-drop of ungapped extensions, in bits"}},
    {.type = OptionType::kReal,
     .warpseq = {"xdrop_gap", "BITS", "X-drop of first gapped extensions in bits (default 15)", 6, "Search"},
     .blast = {"xdrop_gap", "Extension options", "float_value", "X-drop of first gapped extensions, in bits"}},
    {.type = OptionType::kReal,
     .warpseq = {"xdrop_gap_final", "BITS", "X-drop of final ones in bits (default 25)", 7, "Search"},
     .blast = {"xdrop_gap_final", "Extension options", "float_value", "X-drop of final alignments, in bits"}},
    {.type = OptionType::kInteger8,
     .range = {">=0", 0},
     .warpseq = {"searchsp", "N", "effective search space of every query, instead of lengths; 0: by lengths", 16,
                 "Reporting"},
     .blast = {"searchsp", "Statistical options", "int_value", "Effective search space of every query"}},
    {.type = OptionType::kText,
     .standard = "no",
     .warpseq = {"seg", "yes|no|...", "mask low complexity in queries: yes, no, or 'window low high'", 9, "Search"},
     .blast = {"seg", "Query filtering options", "SEG_options",
               "Mask low complexity in queries: 'yes', 'no', or window, low and high\n"
               "complexity as in '12 2.2 2.5'"}},
    {.type = OptionType::kBoolean,
     .standard = "false",
     .warpseq = {"soft_masking", "true|false", "keep masked residues in extensions (default false)", 10, "Search", ""},
     .blast = {"soft_masking", "Query filtering options", "soft_masking", "Mask for words only"}},
    {.type = OptionType::kText,
     .warpseq = {"matrix", "NAME",
                 "BLOSUM45, 50, 62, 80, 90, PAM30, 70, 250 or IDENTITY (default: the task's, BLOSUM62 or PAM30)", 2,
                 "Scoring"},
     .blast = {"matrix", "General search options", "matrix_name",
               "BLOSUM45, 50, 62, 80, 90, PAM30, 70, 250 or IDENTITY"}},
    {.type = OptionType::kReal,
     .range = {">=0", 0},
     .warpseq = {"threshold", "S",
                 "least score of a neighbouring word (default: by matrix, 11 for BLOSUM62; blastp-fast 21)", 2,
                 "Search"},
     .blast = {"threshold", "General search options", "float_value", "Least score of a neighbouring word"}},
    {.type = OptionType::kInteger,
     .range = {">=0", 0},
     .excludes = "best_hit_overhang best_hit_score_edge",
     .warpseq = {"culling_limit", "N",
                 "leave out an alignment where N better ones cover its range of the query (default 0: none)", 5,
                 "Reporting"},
     .blast = {"culling_limit", "Restrict search or results", "int_value",
               "Leave hits out whose range of the query lies in those of so many better\n"
               "ones; 0 leaves none out"}},
    {.type = OptionType::kReal,
     .range = {"(>0 and <0.5)", 0, 0.5, true, true},
     .excludes = "culling_limit",
     .warpseq = {"best_hit_overhang", "SHARE",
                 "best hits: leave out what a better alignment covers but for this share (default 0.1)", 6,
                 "Reporting"},
     .blast = {"best_hit_overhang", "Restrict search or results", "float_value",
               "Best hits: leave hits out that a better one covers but for this share"}},
    {.type = OptionType::kReal,
     .range = {"(>0 and <0.5)", 0, 0.5, true, true},
     .excludes = "culling_limit",
     .warpseq = {"best_hit_score_edge", "SHARE",
                 "best hits: share by which the better one's score per residue is higher (default 0.1)", 7,
                 "Reporting"},
     .blast = {"best_hit_score_edge", "Restrict search or results", "float_value",
               "Best hits: share by which the better one's score per residue is higher"}},
    {.warpseq = {"subject_besthit", "", "of one sequence, leave out alignments within the range of a better one", 8,
                 "Reporting"},
     .blast = {"subject_besthit", "Restrict search or results", nullptr, "Of each sequence the best hits only"}},
    {.type = OptionType::kInteger,
     .range = {">=0", 0},
     .warpseq = {"window_size", "N",
                 "residues within which two hits start an extension; 0: one hit does (default: by matrix, 40)", 3,
                 "Search"},
     .blast = {"window_size", "Extension options", "int_value",
               "Residues within which two words start an extension; 0: one word does"}},
    {.warpseq = {"lcase_masking", "", "mask lower-case letters of queries", 11, "Search"},
     .blast = {"lcase_masking", "Query filtering options", nullptr, "Mask lower-case letters of queries"}},
    {.type = OptionType::kText,
     .blast = {"query_loc", "Input query options", "range",
               "Search with a range of each query, as in 10-250; positions count from 1"}},
    {.blast = {"parse_deflines", "Miscellaneous options", nullptr,
               "Read identifiers of NCBI in definition lines of queries and subjects"}},
    {.type = OptionType::kText,
     .standard = "0",
     .warpseq = {"outfmt", "FORMAT",
                 "0 pairwise text, 1 to 4 all hits below the query, 5 XML, 6 tab-separated, 7 the same with "
                 "comments, 10 comma-separated, 15 JSON, 16 XML2, 13 and 14 JSON and XML2 in a file per query; "
                 "6, 7 and 10 take field names: \"6 qseqid sseqid score\"",
                 1, "Input and output"},
     .blast = {"outfmt", "Formatting options", "format",
               "0 = pairwise text\n"
               "1 = all hits below the query, equal letters as points\n"
               "2 = the same, all letters\n"
               "3 = as 1, insertions in columns of their own\n"
               "4 = as 2, insertions in columns of their own\n"
               "5 = XML\n"
               "6 = tab-separated\n"
               "7 = tab-separated with comments\n"
               "10 = comma-separated\n"
               "13 = JSON, a file for each query\n"
               "14 = XML2, a file for each query\n"
               "15 = JSON\n"
               "16 = XML2\n"
               "8, 9, 11, 12 and 18 are not supported\n"
               "Columns of formats 6, 7 and 10, as in '6 qseqid sseqid score'; 'delim=X'\n"
               "in front of them sets the separator:\n"
               "query: qseqid qgi qacc qaccver qlen qstart qend qseq qframe\n"
               "subject: sseqid sallseqid sgi sallgi sacc saccver sallacc slen sstart\n"
               " send sseq sframe sstrand stitle salltitles\n"
               "alignment: evalue bitscore score length pident nident mismatch positive\n"
               " gapopen gaps ppos frames btop qcovs qcovhsp qcovus\n"
               "taxonomy (if the database knows it): staxid ssciname scomname sblastname\n"
               " sskingdom staxids sscinames scomnames sblastnames sskingdoms\n"
               "std stands for qaccver saccver pident length mismatch gapopen qstart qend\n"
               " sstart send evalue bitscore, which are the columns where none are named"}},
    {.warpseq = {"header", "", kTableHeaderHelp, 1, "Input and output"}},
    {.blast = {"show_gis", "Formatting options", nullptr, "Show GIs; databases of warpseq have none"}},
    {.type = OptionType::kInteger,
     .range = {">=0", 0},
     .excludes = "max_target_seqs",
     .warpseq = {"num_descriptions", "N", "lines in the table of hits of formats 0 to 4 (default 500)", 2,
                 "Input and output"},
     .blast = {"num_descriptions", "Formatting options", "int_value",
               "Lines in the table of hits, in formats 0 to 4; 500 by default"}},
    {.type = OptionType::kInteger,
     .range = {">=0", 0},
     .excludes = "max_target_seqs",
     .warpseq = {"num_alignments", "N", "sequences with alignments in formats 0 to 4 (default 250)", 3,
                 "Input and output"},
     .blast = {"num_alignments", "Formatting options", "int_value",
               "Sequences with alignments, in formats 0 to 4; 250 by default"}},
    {.type = OptionType::kInteger,
     .standard = "60",
     .range = {">=1", 1},
     .warpseq = {"line_length", "N", "columns of an alignment in a line of formats 0 to 4 (default 60)", 4,
                 "Input and output", ""},
     .blast = {"line_length", "Formatting options", "line_length",
               "Columns of an alignment in a line of formats 0 to 4"}},
    {.blast = {"html", "Formatting options", nullptr, "Formats 0 to 4 as HTML"}},
    {.type = OptionType::kInteger,
     .range = {"(>=0 and =<4)", 0, 4},
     .blast = {"sorthits", "Formatting options", "sort_hits",
               "Order of hits in formats 0 to 4, and more columns in their table:\n"
               "0 by E-value, 1 by score, 2 by the sum of scores, 3 by identity,\n"
               "4 by coverage of the query"}},
    {.type = OptionType::kInteger,
     .range = {"(>=0 and =<4)", 0, 4},
     .blast = {"sorthsps", "Formatting options", "sort_hsps",
               "Order of the alignments with one sequence in format 0: 0 by E-value,\n"
               "1 by score, 2 by query start, 3 by identity, 4 by subject start"}},
    {.type = OptionType::kInteger,
     .range = {">=1", 1},
     .excludes = "num_descriptions num_alignments",
     .warpseq = {"max-hits,max_target_seqs", "N",
                 "report at most N sequences per query (default 500); also --max_target_seqs", 2, "Reporting"},
     .blast = {"max_target_seqs", "Restrict search or results", "num_sequences",
               "Most sequences reported for a query; 500 by default"}},
    {.type = OptionType::kInteger,
     .standard = "1",
     .range = {">=1", 1},
     .excludes = "remote",
     .warpseq = {"num_threads", "N", "the same as --threads", 1, "Machine", ""},
     .blast = {"num_threads", "Miscellaneous options", "int_value",
               "Threads of the host; GPUs are used besides where there are some"}},
    {.type = OptionType::kInteger,
     .standard = "0",
     .range = {"(>=0 and =<1)", 0, 1},
     .needs = "num_threads",
     .blast = {"mt_mode", "Miscellaneous options", "int_value",
               "Without effect: work is split among threads as needed"}},
    {.warpseq = {"ungapped", "", "alignments without gaps, with --comp-stats 0; on the CPU", 4, "Search"},
     .blast = {"ungapped", "Extension options", nullptr, "Ungapped alignments only, with -comp_based_stats F"}},
    {.excludes = "gilist seqidlist taxids taxidlist negative_gilist negative_seqidlist negative_taxids "
                 "negative_taxidlist subject_loc num_threads",
     .is_supported = false,
     .blast = {"remote", "Miscellaneous options", nullptr, "Search at NCBI"}},
    {.type = OptionType::kText,
     .standard = "2",
     .warpseq = {"comp-stats,comp_based_stats", "MODE",
                 "composition-based statistics: 0 none, 1 scaled scores, 2 or 3 adjusted matrices, where "
                 "compositions ask for it or always; also --comp_based_stats",
                 5, "Scoring"},
     .blast = {"comp_based_stats", "General search options", "compo",
               "Composition-based statistics:\n"
               "0, F, f: none\n"
               "1: scaled scores\n"
               "2, T, t, D, d: adjusted matrices, where compositions ask for it\n"
               "3: adjusted matrices always"}},
    {.warpseq = {"use_sw_tback", "", "final alignments by Smith-Waterman, not by extension with an X-drop", 8,
                 "Search"},
     .blast = {"use_sw_tback", "Miscellaneous options", nullptr,
               "Smith-Waterman instead of X-drop for final alignments"}},
};

}  // namespace

const BlastProgram& blastp_grammar() {
    static constexpr BlastProgram kProgram{"blastp", "Protein BLAST: warpseq in the place of NCBI BLAST+ 2.12.0",
                                           kGroups, kRows};
    return kProgram;
}

}  // namespace warpseq
