#include "options/makeblastdb/makeblastdb_options.h"

namespace warpseq {
namespace {

constexpr const char* kInput = "Input options";
constexpr const char* kConfiguration = "Configuration options";
constexpr const char* kMasking = "Sequence masking options";
constexpr const char* kOutput = "Output options";
constexpr const char* kTaxonomy = "Taxonomy options";
constexpr const char* kGroups[] = {"", kInput, kConfiguration, kMasking, kOutput, kTaxonomy};

constexpr OptionRow kRows[] = {
    {.type = OptionType::kFileIn,
     .standard = "-",
     .blast = {.name = "in",
               .group = kInput,
               .argument = "input_file",
               .help = "FASTA file; several stand apart by blanks"}},
    {.type = OptionType::kText,
     .standard = "fasta",
     .choices = "`asn1_bin', `asn1_txt', `blastdb', `fasta'",
     .blast =
         {.name = "input_type", .group = kInput, .argument = "type", .help = "What the input is; warpseq: fasta only"}},
    {.type = OptionType::kText,
     .choices = "`nucl', `prot'",
     .blast = {.name = "dbtype",
               .group = "",
               .argument = "molecule_type",
               .help = "What the sequences are; nucl: the next makeblastdb in PATH runs",
               .is_mandatory = true}},
    {.type = OptionType::kText,
     .blast = {.name = "title",
               .group = kConfiguration,
               .argument = "database_title",
               .help = "Title of the database; the name of the input by default"}},
    {.blast = {.name = "parse_seqids",
               .group = kConfiguration,
               .help = "Reads the identifiers, which must be unique, so that sequences are found by them"}},
    {.blast = {.name = "hash_index", .group = kConfiguration, .help = "Makes an index of hashes of the sequences"}},
    {.type = OptionType::kText,
     .is_supported = false,
     .blast = {.name = "mask_data", .group = kMasking, .argument = "mask_data_files", .help = "Files of masks"}},
    {.type = OptionType::kText,
     .excludes = "gi_mask",
     .needs = "mask_data",
     .is_supported = false,
     .blast = {.name = "mask_id", .group = kMasking, .argument = "mask_algo_ids", .help = "Names of masks"}},
    {.type = OptionType::kText,
     .needs = "mask_id",
     .is_supported = false,
     .blast = {.name = "mask_desc",
               .group = kMasking,
               .argument = "mask_algo_descriptions",
               .help = "Descriptions of masks"}},
    {.excludes = "mask_id",
     .needs = "parse_seqids",
     .is_supported = false,
     .blast = {.name = "gi_mask", .group = kMasking, .help = "Masks by GI"}},
    {.type = OptionType::kText,
     .needs = "mask_data gi_mask",
     .is_supported = false,
     .blast = {.name = "gi_mask_name",
               .group = kMasking,
               .argument = "gi_based_mask_names",
               .help = "Files of masks by GI"}},
    {.type = OptionType::kText,
     .blast = {.name = "out",
               .group = kOutput,
               .argument = "database_name",
               .help = "Name of the database; that of the input by default"}},
    {.type = OptionType::kInteger,
     .standard = "5",
     .range = {"4..5", 4, 5},
     .blast = {.name = "blastdb_version",
               .group = kOutput,
               .argument = "version",
               .help = "Which version of files to make"}},
    {.type = OptionType::kText,
     .standard = "1GB",
     .blast = {.name = "max_file_sz",
               .group = kOutput,
               .argument = "number_of_bytes",
               .help = "What files stay below; a larger database has several volumes"}},
    {.type = OptionType::kFileOut,
     .blast = {.name = "logfile",
               .group = kOutput,
               .argument = "File_Name",
               .help = "Where the messages of standard output go instead"}},
    {.type = OptionType::kInteger,
     .range = {">=0", 0},
     .excludes = "taxid_map",
     .blast = {.name = "taxid",
               .group = kTaxonomy,
               .argument = "TaxID",
               .help = "Taxonomy ID of all sequences, for blastdbcmd"}},
    {.type = OptionType::kFileIn,
     .excludes = "taxid",
     .needs = "parse_seqids",
     .blast = {.name = "taxid_map",
               .group = kTaxonomy,
               .argument = "TaxIDMapFile",
               .help = "File of lines with an identifier and its taxonomy ID"}},
};

const BlastProgram kGrammar{"makeblastdb", "Makes databases: warpseq in the place of NCBI BLAST+ 2.12.0", kGroups,
                            kRows};

}  // namespace

const BlastProgram& makeblastdb_grammar() { return kGrammar; }

}  // namespace warpseq
