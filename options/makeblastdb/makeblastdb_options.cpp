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
     .blast = {"in", kInput, "input_file", "FASTA file; several stand apart by blanks"}},
    {.type = OptionType::kText,
     .standard = "fasta",
     .choices = "`asn1_bin', `asn1_txt', `blastdb', `fasta'",
     .blast = {"input_type", kInput, "type", "What the input is; warpseq: fasta only"}},
    {.type = OptionType::kText,
     .choices = "`nucl', `prot'",
     .blast = {"dbtype", "", "molecule_type", "What the sequences are; nucl: the next makeblastdb in PATH runs", true}},
    {.type = OptionType::kText,
     .blast = {"title", kConfiguration, "database_title", "Title of the database; the name of the input by default"}},
    {.blast = {"parse_seqids", kConfiguration, nullptr,
               "Reads the identifiers, which must be unique, so that sequences are found by them"}},
    {.blast = {"hash_index", kConfiguration, nullptr, "Makes an index of hashes of the sequences"}},
    {.type = OptionType::kText,
     .is_supported = false,
     .blast = {"mask_data", kMasking, "mask_data_files", "Files of masks"}},
    {.type = OptionType::kText,
     .excludes = "gi_mask",
     .needs = "mask_data",
     .is_supported = false,
     .blast = {"mask_id", kMasking, "mask_algo_ids", "Names of masks"}},
    {.type = OptionType::kText,
     .needs = "mask_id",
     .is_supported = false,
     .blast = {"mask_desc", kMasking, "mask_algo_descriptions", "Descriptions of masks"}},
    {.excludes = "mask_id",
     .needs = "parse_seqids",
     .is_supported = false,
     .blast = {"gi_mask", kMasking, nullptr, "Masks by GI"}},
    {.type = OptionType::kText,
     .needs = "mask_data gi_mask",
     .is_supported = false,
     .blast = {"gi_mask_name", kMasking, "gi_based_mask_names", "Files of masks by GI"}},
    {.type = OptionType::kText,
     .blast = {"out", kOutput, "database_name", "Name of the database; that of the input by default"}},
    {.type = OptionType::kInteger,
     .standard = "5",
     .range = {"4..5", 4, 5},
     .blast = {"blastdb_version", kOutput, "version", "Which version of files to make"}},
    {.type = OptionType::kText,
     .standard = "1GB",
     .blast = {"max_file_sz", kOutput, "number_of_bytes",
               "What files stay below; a larger database has several volumes"}},
    {.type = OptionType::kFileOut,
     .blast = {"logfile", kOutput, "File_Name", "Where all messages go instead of standard output and standard error"}},
    {.type = OptionType::kInteger,
     .range = {">=0", 0},
     .excludes = "taxid_map",
     .blast = {"taxid", kTaxonomy, "TaxID", "Taxonomy ID of all sequences, for blastdbcmd"}},
    {.type = OptionType::kFileIn,
     .excludes = "taxid",
     .needs = "parse_seqids",
     .blast = {"taxid_map", kTaxonomy, "TaxIDMapFile", "File of lines with an identifier and its taxonomy ID"}},
};

const BlastProgram kGrammar{"makeblastdb", "Makes databases: warpseq in the place of NCBI BLAST+ 2.12.0", kGroups,
                            kRows};

}  // namespace

const BlastProgram& makeblastdb_grammar() { return kGrammar; }

}  // namespace warpseq
