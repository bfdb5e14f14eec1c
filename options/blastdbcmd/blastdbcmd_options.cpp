#include "options/blastdbcmd/blastdbcmd_options.h"

namespace warpseq {
namespace {

constexpr const char* kDatabase = "BLAST database options";
constexpr const char* kRetrieval = "Retrieval options";
constexpr const char* kSequence = "Sequence retrieval configuration options";
constexpr const char* kOutput = "Output configuration options";
constexpr const char* kFasta = "Output configuration options for FASTA format";
constexpr const char* kDiscovery = "BLAST database configuration and discovery options";
constexpr const char* kOther = "Miscellaneous options";
constexpr const char* kGroups[] = {kDatabase, kRetrieval, kSequence, kOutput, kFasta, kDiscovery, kOther};

constexpr OptionRow kRows[] = {
    {.type = OptionType::kText,
     .standard = "nr",
     .excludes = "list recursive remove_redundant_dbs list_outfmt show_blastdb_search_path",
     .blast = {"db", kDatabase, "dbname",
               "Database: a name given to makeblastdb, or a .wsdb file; several stand apart by blanks"}},
    {.type = OptionType::kText,
     .standard = "guess",
     .choices = "`guess', `nucl', `prot'",
     .blast = {"dbtype", kDatabase, "molecule_type", "What the sequences are; warpseq has proteins only"}},
    {.type = OptionType::kText,
     .excludes = "entry_batch ipg ipg_batch taxids taxidlist info tax_info list recursive remove_redundant_dbs "
                 "list_outfmt show_blastdb_search_path",
     .blast = {"entry", kRetrieval, "sequence_identifier", "Identifiers, separated by commas, or 'all'"}},
    {.type = OptionType::kFileIn,
     .excludes = "entry range strand mask_sequence_with ipg ipg_batch taxids taxidlist info tax_info list recursive "
                 "remove_redundant_dbs list_outfmt show_blastdb_search_path",
     .blast = {"entry_batch", kRetrieval, "input_file",
               "File of identifiers, one in a line; a range may follow, as in 'P12345 10-25'"}},
    {.type = OptionType::kInteger,
     .range = {">=0", 0},
     .excludes = "entry entry_batch target_only ipg_batch",
     .blast = {"ipg", kRetrieval, "IPG", "Sequences by the number of their group of identical proteins"}},
    {.type = OptionType::kFileIn,
     .excludes = "ipg entry entry_batch range strand mask_sequence_with",
     .blast = {"ipg_batch", kRetrieval, "input_file", "The same, of the numbers in a file"}},
    {.type = OptionType::kText,
     .excludes = "entry entry_batch taxidlist info tax_info",
     .blast = {"taxids", kRetrieval, "taxonomy_ids",
               "Sequences of these taxa, separated by commas; databases of version 5"}},
    {.type = OptionType::kFileIn,
     .excludes = "entry entry_batch taxids info tax_info",
     .blast = {"taxidlist", kRetrieval, "input_file", "The same, of the taxonomy IDs in a file, one in a line"}},
    {.excludes = "entry entry_batch outfmt strand target_only ctrl_a get_dups range list remove_redundant_dbs "
                 "recursive list_outfmt taxidlist taxids tax_info show_blastdb_search_path long_seqids",
     .blast = {"info", kRetrieval, nullptr, "What the database is and how large"}},
    {.excludes = "info entry entry_batch strand target_only ctrl_a get_dups range list remove_redundant_dbs recursive "
                 "list_outfmt taxidlist taxids",
     .blast = {"tax_info", kRetrieval, nullptr,
               "Which taxa the database has; -outfmt takes %T taxonomy ID, and names: %S scientific, %L common, %K\n"
               "kingdom, %B BLAST name"}},
    {.type = OptionType::kText,
     .excludes =
         "entry_batch ipg_batch info tax_info list recursive remove_redundant_dbs list_outfmt show_blastdb_search_path",
     .blast = {"range", kSequence, "numbers",
               "Part of each sequence, as in 10-25; 10- goes to its end, 10 is one residue"}},
    {.type = OptionType::kText,
     .standard = "plus",
     .choices = "`minus', `plus'",
     .excludes =
         "entry_batch ipg_batch info tax_info list recursive remove_redundant_dbs list_outfmt show_blastdb_search_path",
     .blast = {"strand", kSequence, "strand", "Of nucleotides; proteins have none"}},
    {.type = OptionType::kText,
     .excludes = "entry_batch ipg_batch",
     .is_supported = false,
     .blast = {"mask_sequence_with", kSequence, "mask_algo_id",
               "Lower-case letters where a mask of the database says so"}},
    {.type = OptionType::kFileOut, .standard = "-", .blast = {"out", kOutput, "output_file", "Where the sequences go"}},
    {.type = OptionType::kText,
     .standard = "%f",
     .excludes = "info list recursive remove_redundant_dbs list_outfmt show_blastdb_search_path",
     .blast = {"outfmt", kOutput, "format",
               "A line for each sequence, with %a accession, %g GI, %i identifier, %o number in the database,\n"
               "%t title, %l length, %s residues, %h their hash, %T and %X taxonomy ID, %e memberships, %P IPG;\n"
               "%L and %C common name of the taxon, %S and %N scientific name, %B BLAST name, %K kingdom; or %f\n"
               "alone: FASTA. There are no masks (%m). A format without anything of definition lines has a line\n"
               "for each sequence, any other one a line for each definition line"}},
    {.excludes = "ipg info tax_info get_dups list recursive remove_redundant_dbs list_outfmt show_blastdb_search_path",
     .blast = {"target_only", kOutput, nullptr, "Of merged definition lines only the one asked for"}},
    {.excludes = "info tax_info target_only list recursive remove_redundant_dbs list_outfmt show_blastdb_search_path",
     .blast = {"get_dups", kOutput, nullptr,
               "With -entry_batch all sequences that have the identifier, not the first alone"}},
    {.type = OptionType::kInteger,
     .standard = "80",
     .range = {">=1", 1},
     .excludes = "list recursive remove_redundant_dbs list_outfmt show_blastdb_search_path",
     .blast = {"line_length", kFasta, "number", "Letters of a line"}},
    {.excludes = "info tax_info list recursive remove_redundant_dbs list_outfmt show_blastdb_search_path",
     .blast = {"ctrl_a", kFasta, nullptr,
               "Ctrl-A between merged definition lines; with -long_seqids before those with a GI alone"}},
    {.excludes = "entry entry_batch outfmt strand target_only ctrl_a get_dups range db info line_length list recursive "
                 "list_outfmt remove_redundant_dbs",
     .blast = {"show_blastdb_search_path", kDiscovery, nullptr, "Where databases are looked for"}},
    {.type = OptionType::kText,
     .excludes = "info tax_info entry entry_batch outfmt strand target_only ctrl_a get_dups range db line_length "
                 "show_blastdb_search_path",
     .blast = {"list", kDiscovery, "directory", "Databases of a folder"}},
    {.excludes = "info tax_info entry entry_batch outfmt strand target_only ctrl_a get_dups range db line_length "
                 "show_blastdb_search_path",
     .blast = {"remove_redundant_dbs", kDiscovery, nullptr, "-list leaves out databases that an alias names"}},
    {.excludes = "info tax_info entry entry_batch outfmt strand target_only ctrl_a get_dups range db line_length "
                 "show_blastdb_search_path",
     .blast = {"recursive", kDiscovery, nullptr, "-list looks into folders below, too"}},
    {.type = OptionType::kText,
     .standard = "%f %p",
     .excludes = "info tax_info entry entry_batch outfmt strand target_only ctrl_a get_dups range db line_length "
                 "show_blastdb_search_path",
     .blast = {"list_outfmt", kDiscovery, "format",
               "A line for each database: %f its name with its folder, %p molecule, %t title, %d date, %l residues,\n"
               "%n sequences, %U bytes, %v version"}},
    {.needs = "info", .blast = {"exact_length", kDiscovery, nullptr, "-info counts exactly, which it does anyway"}},
    {.excludes = "info",
     .blast = {"long_seqids", kDiscovery, nullptr, "Whole identifiers in FASTA: sp|P12345|NAME, not P12345"}},
    {.type = OptionType::kFileOut,
     .blast = {"logfile", kOther, "File_Name", "Where the messages of standard error go instead"}},
};

const BlastProgram kGrammar{"blastdbcmd", "Reads databases: warpseq in the place of NCBI BLAST+ 2.12.0", kGroups,
                            kRows};

}  // namespace

const BlastProgram& blastdbcmd_grammar() { return kGrammar; }

}  // namespace warpseq
