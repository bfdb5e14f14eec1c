#include "options/search/common_options.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "formats/blast/blast_database.h"
#include "formats/wsdb/fasta_target.h"
#include "formats/wsdb/wsdb_set.h"
#include "options/arguments.h"
#include "options/option_set.h"
#include "options/search/table_header.h"

namespace warpseq {
namespace {

/// Reads "auto", "cpu", "cuda", "cuda:0" or "cuda:0,2"; the last three may have "+cpu" behind them.
/// Anything else is a usage error.
Result<DeviceRequest> parse_device(std::string_view text) {
    if (text == "auto") return DeviceRequest{};
    if (text == "cpu") return DeviceRequest{DeviceRequest::Kind::kCpu};
    constexpr std::string_view kPrefix = "cuda:", kWithCpu = "+cpu";
    const auto wrong = [&] {
        return Status::usage("--device " + std::string(text) +
                             ": expected auto, cpu, cuda, or cuda: with GPU numbers separated by commas, as in "
                             "cuda:0,1; with help by the CPU cores, cuda+cpu or cuda:0,1+cpu");
    };
    DeviceRequest request{DeviceRequest::Kind::kCuda};
    std::string_view gpus = text;
    request.cpu_helps = gpus.ends_with(kWithCpu);
    if (request.cpu_helps) gpus.remove_suffix(kWithCpu.size());
    if (gpus == "cuda") return request;
    if (!gpus.starts_with(kPrefix)) return wrong();
    const char* at = gpus.data() + kPrefix.size();
    const char* const end = gpus.data() + gpus.size();
    for (;;) {
        int ordinal = 0;
        const auto [rest, error] = std::from_chars(at, end, ordinal);
        if (error != std::errc() || ordinal < 0) return wrong();
        if (std::ranges::find(request.ordinals, ordinal) == request.ordinals.end()) request.ordinals.push_back(ordinal);
        if (rest == end) return request;
        if (*rest != ',') return wrong();
        at = rest + 1;
    }
}

Status read_part(const OptionValues& parsed, const std::vector<std::filesystem::path>& inputs,
                 DividedOptions& options) {
    if (parsed.count("work-dir") != 0) options.work_dir = parsed.text("work-dir");
    if (parsed.count("part") == 0) return {};
    if (!options.work_dir) return Status::usage("--part K/N and --work-dir FOLDER have to be given together");
    const std::string text = parsed.text("part");
    const std::size_t slash = text.find('/');
    const auto part = whole_number_of(text.substr(0, slash));
    const auto parts = slash == std::string::npos ? std::nullopt : whole_number_of(text.substr(slash + 1));
    constexpr std::int64_t kMostParts = 1'000'000;
    if (!part || !parts || *part < 0 || *part >= *parts || *parts > kMostParts)
        return Status::usage("--part " + text + ": expected K/N, K from 0 to N - 1, as in 0/4");
    if (std::ranges::count(inputs, "-") > 0)
        return Status::usage("--part: the merge reads all input again, so it cannot be standard input");
    options.part = {static_cast<std::uint64_t>(*part), static_cast<std::uint64_t>(*parts)};
    return {};
}

}  // namespace

void add_input_options(OptionSet& options, const std::string& query_help) {
    options.add_options("Input and output")            //
        ("q,query", query_help, text_value(), "FILE")  //
        ("d,db",
         "database made by dbconv, FASTA (plain, gzip or zstd; - is standard input), or a protein database of NCBI "
         "BLAST by "
         "its name; several are searched as one",
         texts_value(), "FILE")  //
        ("cache",
         "keep what FASTA or a BLAST database of -d is converted to beside it, as FILE.wsdb, which is read the next "
         "time");
    add_output_options(options);
}

void add_output_options(OptionSet& options) {
    options.add_options("Input and output")  //
        ("o,out", "write the report to a file, which appears when it is whole; - is standard output", text_value(),
         "FILE")                                                    //
        ("quiet", "no progress and no warnings on standard error")  //
        ("stats", "print cells, speed and times on standard error");
}

void add_hit_list_options(OptionSet& options) {
    options.add_options("Input and output")  //
        ("outfmt",
         "0 pairwise text, 6 tab-separated, 7 the same with comments, 10 comma-separated, json; 6, 7 and 10 take "
         "field names: \"6 qseqid sseqid score\"",
         text_value("0"), "FORMAT")  //
        ("header", std::string(kTableHeaderHelp));
    options.add_options("Reporting")                                                                //
        ("evalue", "report hits up to this E-value; inf reports every hit", text_value("10"), "E")  //
        ("max-hits", "report at most N hits per query; 0 is no limit", text_value("500"), "N");
}

void add_machine_options(OptionSet& options, const std::string& device_help) {
    options.add_options("Machine")                                                                                  //
        ("threads", "threads of the host; default: all it may use", text_value(), "N")                              //
        ("device", device_help, text_value("auto"), "DEVICE")                                                       //
        ("device-memory", "most memory of each GPU to use, as 8G; auto: what is free", text_value("auto"), "SIZE")  //
        ("cpu-backend", "auto, or one of avx512, avx2, sse41, portable, reference", text_value("auto"), "NAME");
    options.add_options("Other")("h,help", "print this help")("version", "print the version");
}

void add_part_options(OptionSet& options, const std::string& part_help) {
    options.add_options("Machine")                //
        ("part", part_help, text_value(), "K/N")  //
        ("work-dir", "folder for the parts of one search, from which search merge makes the report", text_value(),
         "FOLDER");
}

void add_chunk_size_option(OptionSet& options) {
    options.add_options("Machine")  //
        ("chunk-size", "bytes of the database in flight at once, as 64M; auto", text_value("auto"), "SIZE");
}

void add_chunk_options(OptionSet& options) {
    add_chunk_size_option(options);
    add_part_options(
        options,
        "search part K of N of the databases, counted from 0, and leave what it finds in --work-dir, without a report");
}

Result<RunOptions> read_run_options(const OptionValues& parsed) {
    RunOptions options;
    if (parsed.count("out") != 0 && parsed.text("out") != "-") options.output_file = parsed.text("out");

    const auto threads = read_threads(parsed);
    if (!threads.ok()) return threads.status();
    options.threads = *threads;
    const auto device = parse_device(parsed.text("device"));
    if (!device.ok()) return device.status();
    options.device = *device;
    if (const auto text = parsed.text("device-memory"); text != "auto") {
        const auto bytes = parse_size_bytes(text, "--device-memory");
        if (!bytes.ok()) return bytes.status();
        if (*bytes == 0) return Status::usage("--device-memory 0: expected a size above 0, or auto");
        options.device_memory_bytes = *bytes;
    }
    const auto backend = cpu_backend_from_name(parsed.text("cpu-backend"));
    if (!backend.ok()) return backend.status();
    options.cpu_backend = *backend;
    options.stats = parsed.count("stats") != 0;
    options.quiet = parsed.count("quiet") != 0;
    return options;
}

Status read_divided_options(const std::string& engine, const OptionValues& parsed,
                            const std::vector<std::filesystem::path>& inputs, DividedOptions& options) {
    // The names below are outputs, and options about how and where the search is done. blastp's
    // num_threads is another name of threads.
    options.arguments = parsed.canonical_without({"out", "tblout", "domtblout", "pfamtblout", "A", "dotplot", "quiet",
                                                  "stats", "cache", "threads", "num_threads", "device", "device-memory",
                                                  "cpu-backend", "memory", "chunk-size", "part", "work-dir"});
    options.arguments.insert(options.arguments.begin(), engine);
    options.table_arguments = parsed.canonical_of({"tblout", "domtblout", "pfamtblout", "A"});
    return read_part(parsed, inputs, options);
}

Result<std::uint64_t> read_chunk_bytes(const OptionValues& parsed) {
    if (parsed.count("chunk-size") == 0 || parsed.text("chunk-size") == "auto") return std::uint64_t{0};
    const auto bytes = parse_size_bytes(parsed.text("chunk-size"), "--chunk-size");
    if (bytes.ok() && *bytes == 0) return Status::usage("--chunk-size 0: expected a size above 0, or auto");
    return bytes;
}

Result<CommonOptions> read_common_options(const std::string& engine, const OptionValues& parsed) {
    CommonOptions options;
    if (parsed.count("query") == 0) return Status::usage("no queries: name a FASTA file with -q");
    if (parsed.count("db") == 0)
        return Status::usage("no database: name one with -d (dbconv makes it), or a FASTA file");
    const auto run = read_run_options(parsed);
    if (!run.ok()) return run.status();
    static_cast<RunOptions&>(options) = *run;
    options.query_file = parsed.text("query");
    for (const std::string& file : parsed.texts("db")) options.database_files.emplace_back(file);
    options.cache = parsed.count("cache") != 0;
    const auto chunk_bytes = read_chunk_bytes(parsed);
    if (!chunk_bytes.ok()) return chunk_bytes.status();
    options.chunk_bytes = *chunk_bytes;
    options.decisive_files = {options.query_file};
    std::vector<std::filesystem::path> inputs = options.database_files;
    inputs.push_back(options.query_file);
    auto targets = read_target_options(parsed);
    if (!targets.ok()) return targets.status();
    options.targets = *std::move(targets);
    for (const auto& [option, file] : options.targets.files) {
        options.decisive_files.push_back(file);
        inputs.push_back(file);
    }
    WARPSEQ_TRY(read_divided_options(engine, parsed, inputs, options));
    return options;
}

SessionSettings session_settings(const RunOptions& options) {
    SessionSettings settings;
    settings.device = options.device;
    settings.device_memory_bytes = options.device_memory_bytes;
    settings.threads = options.threads;
    settings.backend = options.cpu_backend;
    if (const char* folder = std::getenv("TMPDIR"); folder != nullptr && *folder != '\0')
        settings.targets.temporary_folder = folder;
    return settings;
}

std::string report_option(const RunOptions& options) {
    return options.output_file ? options.report_option : "the report";
}

RunFiles files_of(const CommonOptions& options) {
    RunFiles files;
    files.add_input(options.query_option, options.query_file);
    for (const std::filesystem::path& database : options.database_files) {
        files.add_input(options.database_option, database);
        for (const std::filesystem::path& file : files_of_blast_database(database))
            files.add_input(options.database_option, file);
        // If a converted copy exists, it is read instead of the database.
        std::error_code error;
        if (const auto copy = copy_of_target(database); !options.cache && std::filesystem::exists(copy, error))
            files.add_input(options.database_option, copy);
        if (!is_wsdb_set(database)) continue;
        for (const std::filesystem::path& file : files_of_wsdb_set(database))
            files.add_input(options.database_option, file);
    }
    add_inputs(options.targets, files);
    for (const std::filesystem::path& marker : options.database_markers)
        files.add_input(options.database_option, marker);
    files.set_existing(options.existing);
    files.add_output(report_option(options), options.output_file);
    if (options.cache) {
        // A database that is named twice has one copy.
        std::vector<std::filesystem::path> copied = options.database_files;
        std::ranges::sort(copied);
        copied.erase(std::unique(copied.begin(), copied.end()), copied.end());
        for (const std::filesystem::path& database : copied) {
            if (database != "-") files.add_optional_output("--cache", copy_of_target(database));
        }
    }
    return files;
}

Result<HitListOptions> read_hit_list_options(const OptionValues& parsed) {
    HitListOptions options;
    const auto evalue = parse_number(parsed.text("evalue"), "--evalue", 0);
    if (!evalue.ok()) return Status::usage(evalue.status().message() + ", or inf");
    options.evalue = *evalue;
    const auto max_hits = parse_whole_number(parsed.text("max-hits"), "--max-hits", 0);
    if (!max_hits.ok()) return max_hits.status();
    options.max_hits = static_cast<std::uint64_t>(*max_hits);
    options.outfmt = parsed.text("outfmt");
    options.has_header = parsed.count("header") != 0;
    return options;
}

}  // namespace warpseq
