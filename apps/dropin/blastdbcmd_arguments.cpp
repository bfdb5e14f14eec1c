#include "apps/dropin/blastdbcmd_arguments.h"

#include <limits>

namespace warpseq {
namespace {

using Kind = BlastOption::Kind;
constexpr double kMost = std::numeric_limits<double>::infinity();

constexpr const char* kDatabase = "BLAST database options";
constexpr const char* kRetrieval = "Retrieval options";
constexpr const char* kSequence = "Sequence retrieval configuration options";
constexpr const char* kOutput = "Output configuration options";
constexpr const char* kFasta = "Output configuration options for FASTA format";
constexpr const char* kDiscovery = "BLAST database configuration and discovery options";
constexpr const char* kOther = "Miscellaneous options";
constexpr const char* kGroups[] = {kDatabase, kRetrieval, kSequence, kOutput, kFasta, kDiscovery, kOther};

constexpr BlastOption kOptions[] = {
    {.name = "db",
     .group = kDatabase,
     .kind = Kind::kText,
     .argument = "dbname",
     .help = "Database: a name given to makeblastdb, or a .wsdb file; several stand apart by blanks",
     .standard = "nr",
     .excludes = "list recursive remove_redundant_dbs list_outfmt show_blastdb_search_path"},
    {.name = "dbtype",
     .group = kDatabase,
     .kind = Kind::kText,
     .argument = "molecule_type",
     .help = "What the sequences are; warpseq has proteins only",
     .standard = "guess",
     .choices = "`guess', `nucl', `prot'"},
    {.name = "entry",
     .group = kRetrieval,
     .kind = Kind::kText,
     .argument = "sequence_identifier",
     .help = "Identifiers, separated by commas, or 'all'",
     .excludes = "entry_batch ipg ipg_batch taxids taxidlist info tax_info list recursive remove_redundant_dbs "
                 "list_outfmt show_blastdb_search_path"},
    {.name = "entry_batch",
     .group = kRetrieval,
     .kind = Kind::kFileIn,
     .argument = "input_file",
     .help = "File of identifiers, one in a line; a range may follow, as in 'P12345 10-25'",
     .excludes = "entry range strand mask_sequence_with ipg ipg_batch taxids taxidlist info tax_info list recursive "
                 "remove_redundant_dbs list_outfmt show_blastdb_search_path"},
    {.name = "ipg",
     .group = kRetrieval,
     .kind = Kind::kInteger,
     .argument = "IPG",
     .help = "Sequences by the number of their group of identical proteins",
     .excludes = "entry entry_batch target_only ipg_batch",
     .range = {">=0", 0, kMost}},
    {.name = "ipg_batch",
     .group = kRetrieval,
     .kind = Kind::kFileIn,
     .argument = "input_file",
     .help = "The same, of the numbers in a file",
     .excludes = "ipg entry entry_batch range strand mask_sequence_with"},
    {.name = "taxids",
     .group = kRetrieval,
     .kind = Kind::kText,
     .argument = "taxonomy_ids",
     .help = "Sequences of these taxa, separated by commas; databases of version 5",
     .excludes = "entry entry_batch taxidlist info tax_info"},
    {.name = "taxidlist",
     .group = kRetrieval,
     .kind = Kind::kFileIn,
     .argument = "input_file",
     .help = "The same, of the taxonomy IDs in a file, one in a line",
     .excludes = "entry entry_batch taxids info tax_info"},
    {.name = "info",
     .group = kRetrieval,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "What the database is and how large",
     .excludes = "entry entry_batch outfmt strand target_only ctrl_a get_dups range list remove_redundant_dbs "
                 "recursive list_outfmt taxidlist taxids tax_info show_blastdb_search_path long_seqids"},
    {.name = "tax_info",
     .group = kRetrieval,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Which taxa the database has; -outfmt takes %T taxonomy ID and %S %L %K %B, names, which are not known",
     .excludes = "info entry entry_batch strand target_only ctrl_a get_dups range list remove_redundant_dbs recursive "
                 "list_outfmt taxidlist taxids"},
    {.name = "range",
     .group = kSequence,
     .kind = Kind::kText,
     .argument = "numbers",
     .help = "Part of each sequence, as in 10-25; 10- goes to its end, 10 is one residue",
     .excludes = "entry_batch ipg_batch info tax_info list recursive remove_redundant_dbs list_outfmt "
                 "show_blastdb_search_path"},
    {.name = "strand",
     .group = kSequence,
     .kind = Kind::kText,
     .argument = "strand",
     .help = "Of nucleotides; proteins have none",
     .standard = "plus",
     .excludes = "entry_batch ipg_batch info tax_info list recursive remove_redundant_dbs list_outfmt "
                 "show_blastdb_search_path",
     .choices = "`minus', `plus'"},
    {.name = "mask_sequence_with",
     .group = kSequence,
     .kind = Kind::kText,
     .argument = "mask_algo_id",
     .help = "Lower-case letters where a mask of the database says so",
     .excludes = "entry_batch ipg_batch",
     .is_supported = false},
    {.name = "out",
     .group = kOutput,
     .kind = Kind::kFileOut,
     .argument = "output_file",
     .help = "Where the sequences go",
     .standard = "-"},
    {.name = "outfmt",
     .group = kOutput,
     .kind = Kind::kText,
     .argument = "format",
     .help = "A line for each sequence, with %a accession, %g GI, %i identifier, %o number in the database,\n"
             "%t title, %l length, %s residues, %h their hash, %T and %X taxonomy ID, %e memberships, %P IPG;\n"
             "%L %C %S %N %B %K, names of the taxon, which are not known; or %f alone: FASTA. There are no\n"
             "masks (%m). A format without anything of definition lines has a line for each sequence, any\n"
             "other one a line for each definition line",
     .standard = "%f",
     .excludes = "info list recursive remove_redundant_dbs list_outfmt show_blastdb_search_path"},
    {.name = "target_only",
     .group = kOutput,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Of merged definition lines only the one asked for",
     .excludes = "ipg info tax_info get_dups list recursive remove_redundant_dbs list_outfmt "
                 "show_blastdb_search_path"},
    {.name = "get_dups",
     .group = kOutput,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "With -entry_batch all sequences that have the identifier, not the first alone",
     .excludes = "info tax_info target_only list recursive remove_redundant_dbs list_outfmt "
                 "show_blastdb_search_path"},
    {.name = "line_length",
     .group = kFasta,
     .kind = Kind::kInteger,
     .argument = "number",
     .help = "Letters of a line",
     .standard = "80",
     .excludes = "list recursive remove_redundant_dbs list_outfmt show_blastdb_search_path",
     .range = {">=1", 1, kMost}},
    {.name = "ctrl_a",
     .group = kFasta,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Ctrl-A between merged definition lines; with -long_seqids before those with a GI alone",
     .excludes = "info tax_info list recursive remove_redundant_dbs list_outfmt show_blastdb_search_path"},
    {.name = "show_blastdb_search_path",
     .group = kDiscovery,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Where databases are looked for",
     .excludes = "entry entry_batch outfmt strand target_only ctrl_a get_dups range db info line_length list recursive "
                 "list_outfmt remove_redundant_dbs"},
    {.name = "list",
     .group = kDiscovery,
     .kind = Kind::kText,
     .argument = "directory",
     .help = "Protein databases of a folder",
     .excludes = "info tax_info entry entry_batch outfmt strand target_only ctrl_a get_dups range db line_length "
                 "show_blastdb_search_path"},
    {.name = "remove_redundant_dbs",
     .group = kDiscovery,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Without effect: no database refers to another",
     .excludes = "info tax_info entry entry_batch outfmt strand target_only ctrl_a get_dups range db line_length "
                 "show_blastdb_search_path"},
    {.name = "recursive",
     .group = kDiscovery,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "-list looks into folders below, too",
     .excludes = "info tax_info entry entry_batch outfmt strand target_only ctrl_a get_dups range db line_length "
                 "show_blastdb_search_path"},
    {.name = "list_outfmt",
     .group = kDiscovery,
     .kind = Kind::kText,
     .argument = "format",
     .help = "A line for each database: %f its name with its folder, %p molecule, %t title, %d date, %l residues,\n"
             "%n sequences, %U bytes, %v version",
     .standard = "%f %p",
     .excludes = "info tax_info entry entry_batch outfmt strand target_only ctrl_a get_dups range db line_length "
                 "show_blastdb_search_path"},
    {.name = "exact_length",
     .group = kDiscovery,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "-info counts exactly, which it does anyway",
     .needs = "info"},
    {.name = "long_seqids",
     .group = kDiscovery,
     .kind = Kind::kFlag,
     .argument = nullptr,
     .help = "Whole identifiers in FASTA: sp|P12345|NAME, not P12345",
     .excludes = "info"},
    {.name = "logfile",
     .group = kOther,
     .kind = Kind::kFileOut,
     .argument = "File_Name",
     .help = "Without effect: messages go to standard error"},
};

const BlastProgram kGrammar{"blastdbcmd", "Reads databases: warpseq in the place of NCBI BLAST+ 2.12.0", kGroups,
                            kOptions};

}  // namespace

const BlastProgram& blastdbcmd_grammar() { return kGrammar; }

}  // namespace warpseq
