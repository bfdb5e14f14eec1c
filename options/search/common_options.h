// Options of `search` that several engines have, spelled and meant alike.
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
#include "kernels/backend.h"
#include "libcore/base/status.h"
#include "options/option_set.h"
#include "options/search/target_options.h"

namespace warpseq {

/// Where the report goes, and what computes it.
struct RunOptions {
    std::string report_option = "-o";  // as messages call it
    std::optional<std::filesystem::path> output_file;
    /// The treatment of files that exist, for all outputs. No option sets it: it is for programs
    /// that write into such files and that `search` stands in for.
    ExistingFile existing = ExistingFile::kReplace;
    unsigned threads = 1;
    DeviceRequest device;
    std::uint64_t device_memory_bytes = 0;  // per GPU; 0: what is free
    CpuBackend cpu_backend = CpuBackend::kPortable;
    bool stats = false;
    bool quiet = false;
};

/// What of a search is done here, and which one it is.
struct DividedOptions : RunOptions {
    struct Part {
        std::uint64_t part = 0, parts = 1;  // part < parts
    };
    std::optional<Part> part;                       // nothing: all of the search
    std::optional<std::filesystem::path> work_dir;  // of parts, or of what ranks have done
    /// What decides about the results: the engine's name and options, and files besides databases.
    std::vector<std::string> arguments;
    std::vector<std::filesystem::path> decisive_files;
    std::vector<std::string> table_arguments;  // what decides besides which texts are made of results
    bool draws_seed = false;                   // of random numbers, in each run another one (Division::drawn_seed())
};

/// Those of engines that search databases.
struct CommonOptions : DividedOptions {
    std::string query_option = "-q", database_option = "-d";  // as messages call them
    std::filesystem::path query_file;                         // "-" is standard input
    std::vector<std::filesystem::path> database_files;
    std::vector<std::filesystem::path> database_markers;  // by which they were found; no output replaces them
    TargetChoice targets = {};                            // what is searched of them
    bool cache = false;                                   // keep converted copies of FASTA among them
    std::uint64_t chunk_bytes = 0;                        // 0: the engine's choice
    std::optional<ResidueRange> target_range = {};  // of each sequence of FASTA, what is searched; no option sets it
    FastaOptions target_reading = {};               // of FASTA that is searched; no option sets it
};

/// How engines report that list scored pairs of a query and a target, as BLAST does.
struct HitListOptions {
    double evalue = 10;            // infinity: every hit that scores
    std::uint64_t max_hits = 500;  // per query; 0: no limit
    std::string outfmt = "0";
};

/// Adds -o, --quiet and --stats to the group "Input and output".
void add_output_options(OptionSet& options);
/// Adds -q and -d, and then those; `query_help` says what a query file is.
void add_input_options(OptionSet& options, const std::string& query_help);
/// Adds --outfmt to the group, and the group "Reporting".
void add_hit_list_options(OptionSet& options);
inline constexpr const char* kDeviceHelp = "auto, cpu, cuda[:N,...], or cuda[:N,...]+cpu: cores help the GPUs";
/// Adds the groups "Machine" and "Other", which end the help.
void add_machine_options(OptionSet& options, const std::string& device_help = kDeviceHelp);
/// Adds --part and --work-dir to "Machine"; `part_help` says what a part is of.
void add_part_options(OptionSet& options, const std::string& part_help);
/// Adds --chunk-size.
void add_chunk_size_option(OptionSet& options);
/// Adds --chunk-size and those, for engines that search databases.
void add_chunk_options(OptionSet& options);

/// The machine that these options describe, without databases.
SessionSettings session_settings(const RunOptions& options);
/// What messages call the output that -o names: "the report" without one.
std::string report_option(const RunOptions& options);
/// The files that these options name: queries, databases, the report.
RunFiles files_of(const CommonOptions& options);

/// Read them back; wrong values are usage errors. Common options are all but those of hit lists.
Result<RunOptions> read_run_options(const OptionValues& parsed);
/// Those besides: the part, and the arguments that decide about the results of `engine`, as
/// `search` calls it. `inputs` are files that whoever merges reads again.
Status read_divided_options(const std::string& engine, const OptionValues& parsed,
                            const std::vector<std::filesystem::path>& inputs, DividedOptions& options);
/// `engine` as `search` calls it.
Result<CommonOptions> read_common_options(const std::string& engine, const OptionValues& parsed);
Result<HitListOptions> read_hit_list_options(const OptionValues& parsed);

}  // namespace warpseq
