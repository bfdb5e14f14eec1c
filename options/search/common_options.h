// Options of `search` that several engines share, with one spelling and one meaning.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engines/devices/devices.h"
#include "engines/session.h"
#include "formats/fasta/fasta.h"
#include "formats/io/atomic_file.h"
#include "formats/io/run_files.h"
#include "formats/sequences/sequence_format.h"
#include "formats/wsdb/fasta_target.h"
#include "kernels/backend.h"
#include "libcore/base/status.h"
#include "options/option_set.h"
#include "options/search/target_options.h"

namespace warpseq {

/// Settings of a run: where the report goes, and what computes it.
struct RunOptions {
    std::string report_option = "-o";  // name of the report's option in messages
    std::optional<std::filesystem::path> output_file;
    /// How every output treats a file that exists already. No option sets it. A drop-in program
    /// sets it if the original program writes into such files.
    ExistingFile existing = ExistingFile::kReplace;
    unsigned threads = 1;
    DeviceRequest device;
    std::uint64_t device_memory_bytes = 0;  // per GPU; 0 stands for all that is free
    CpuBackend cpu_backend = CpuBackend::kPortable;
    bool stats = false;
    bool quiet = false;
};

/// The share of a search that this process does, and the inputs that identify the search.
struct DividedOptions : RunOptions {
    struct Part {
        std::uint64_t part = 0, parts = 1;  // part < parts
    };
    std::optional<Part> part;                       // the part to search; nothing for the whole search
    std::optional<std::filesystem::path> work_dir;  // folder of the parts, or of results that ranks of an MPI job keep
    /// The inputs that decide about the results: the engine's name and its options, in the form of
    /// OptionValues::canonical_without(), and all input files except databases.
    std::vector<std::string> arguments;
    std::vector<std::filesystem::path> decisive_files;
    /// The options that ask for tables, in the same form. They do not affect the hits. All ranks of
    /// an MPI job need the same ones, because each of them makes texts for the tables.
    std::vector<std::string> table_arguments;
    bool draws_seed = false;  // whether each run draws a seed (Division::drawn_seed())
};

/// Options of engines that search databases.
struct CommonOptions : DividedOptions {
    std::string query_option = "-q", database_option = "-d";  // names of the options in messages
    std::filesystem::path query_file;                         // "-" is standard input
    std::vector<std::filesystem::path> database_files;
    /// Further files that belong to the databases, such as aliases. No output may replace them.
    std::vector<std::filesystem::path> database_markers;
    TargetChoice targets = {};      // restriction of the search to some of the databases' sequences
    bool cache = false;             // whether the converted copies of FASTA and BLAST databases are kept
    std::uint64_t chunk_bytes = 0;  // size of a chunk; 0: the engine chooses
    std::optional<ResidueRange> target_range = {};  // searched part of each FASTA sequence; no option sets it
    FastaOptions target_reading = {};               // how FASTA databases are read; no option sets it
    /// The format of databases that are files of sequences. No option sets it.
    SequenceFileFormat target_format = {.kind = SequenceFileKind::kFasta};
    bool targets_may_be_empty = false;  // whether a file without sequences is no error; no option sets it
    std::optional<TargetRecords> target_records = {};  // the sequences to search; no option sets it
};

/// Report options of engines that list scored pairs of a query and a target, as BLAST does.
struct HitListOptions {
    double evalue = 10;            // infinity reports every hit that scores
    std::uint64_t max_hits = 500;  // per query; 0 sets no limit
    std::string outfmt = "0";
    bool has_header = false;  // whether a table begins with the names of its columns
};

/// Adds -o, --quiet and --stats to the group "Input and output".
void add_output_options(OptionSet& options);
/// Adds -q, -d and --cache, and then the output options. `query_help` is the help text of -q.
void add_input_options(OptionSet& options, const std::string& query_help);
/// Adds --outfmt and --header to the group, and the group "Reporting".
void add_hit_list_options(OptionSet& options);
inline constexpr const char* kDeviceHelp = "auto, cpu, cuda[:N,...], or cuda[:N,...]+cpu: cores help the GPUs";
/// Adds the groups "Machine" and "Other", which end the help.
void add_machine_options(OptionSet& options, const std::string& device_help = kDeviceHelp);
/// Adds --part and --work-dir to "Machine". `part_help` is the help of --part.
void add_part_options(OptionSet& options, const std::string& part_help);
/// Adds --chunk-size.
void add_chunk_size_option(OptionSet& options);
/// Adds --chunk-size, --part and --work-dir, for engines that search databases.
void add_chunk_options(OptionSet& options);

/// Returns the settings of a session that the options of the group "Machine" state. The databases
/// are not set.
SessionSettings session_settings(const RunOptions& options);
/// Returns the name of the report in messages: the option that names its file, such as "-o", or
/// "the report" if there is no such file.
std::string report_option(const RunOptions& options);
/// Returns the files that the options name: queries, databases with the files beside them, lists of
/// targets, the report, and copies that are kept.
RunFiles files_of(const CommonOptions& options);

/// Returns the settings of a run that the options state. Wrong values are usage errors.
Result<RunOptions> read_run_options(const OptionValues& parsed);
/// Reads --chunk-size, in bytes. Returns 0 if the engine chooses.
Result<std::uint64_t> read_chunk_bytes(const OptionValues& parsed);
/// Sets those members of `options` that RunOptions and decisive_files do not cover. `engine` is the
/// engine's name in `search`. `inputs` are the files that a process that merges parts reads again.
/// With --part none of them may be standard input. Errors are usage errors.
Status read_divided_options(const std::string& engine, const OptionValues& parsed,
                            const std::vector<std::filesystem::path>& inputs, DividedOptions& options);
/// Returns all settings of CommonOptions that the options state. `engine` is the engine's name in
/// `search`. Wrong values are usage errors, and so is a command line without queries or databases.
/// Errors of read_target_options() are returned, too.
Result<CommonOptions> read_common_options(const std::string& engine, const OptionValues& parsed);
/// Returns the settings of the report that the options state. Wrong values are usage errors.
Result<HitListOptions> read_hit_list_options(const OptionValues& parsed);

}  // namespace warpseq
