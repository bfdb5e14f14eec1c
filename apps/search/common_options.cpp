#include "apps/search/common_options.h"

#include <algorithm>
#include <string_view>

#include "apps/common/arguments.h"
#include "apps/common/command_line.h"
#include "apps/common/cxxopts_settings.h"

namespace warpseq {

void add_input_options(cxxopts::Options& options, const std::string& query_help) {
    options.add_options("Input and output")                             //
        ("q,query", query_help, cxxopts::value<std::string>(), "FILE")  //
        ("d,db", "database made by dbconv; several are searched as one", cxxopts::value<std::vector<std::string>>(),
         "FILE");
    add_output_options(options);
}

void add_output_options(cxxopts::Options& options) {
    options.add_options("Input and output")  //
        ("o,out", "write the report to a file, which appears when it is whole", cxxopts::value<std::string>(),
         "FILE")                                                    //
        ("quiet", "no progress and no warnings on standard error")  //
        ("stats", "print cells, speed and times on standard error");
}

void add_hit_list_options(cxxopts::Options& options) {
    options.add_options("Input and output")  //
        ("outfmt",
         "0 pairwise text, 6 tab-separated, 7 the same with comments, json; 6 and 7 take field names: \"6 qseqid "
         "sseqid score\"",
         cxxopts::value<std::string>()->default_value("0"), "FORMAT");
    options.add_options("Reporting")  //
        ("evalue", "report hits up to this E-value; inf reports every hit",
         cxxopts::value<std::string>()->default_value("10"), "E")  //
        ("max-hits", "report at most N hits per query; 0 is no limit",
         cxxopts::value<std::string>()->default_value("500"), "N");
}

void add_machine_options(cxxopts::Options& options) {
    options.add_options("Machine")                                                                                //
        ("threads", "threads of the host; default: all it may use", cxxopts::value<std::string>(), "N")           //
        ("device", "auto, cpu, or cuda[:N,...]", cxxopts::value<std::string>()->default_value("auto"), "DEVICE")  //
        ("device-memory", "most memory of each GPU to use, as 8G; auto: what is free",
         cxxopts::value<std::string>()->default_value("auto"), "SIZE")  //
        ("cpu-backend", "auto, or one of avx512, avx2, sse41, portable, reference",
         cxxopts::value<std::string>()->default_value("auto"), "NAME");
    options.add_options("Other")("h,help", "print this help")("version", "print the version");
}

void add_chunk_options(cxxopts::Options& options) {
    options.add_options("Machine")  //
        ("chunk-size", "bytes of the database in flight at once, as 64M; auto",
         cxxopts::value<std::string>()->default_value("auto"), "SIZE");
}

Result<RunOptions> read_run_options(const cxxopts::ParseResult& parsed) {
    RunOptions options;
    if (parsed.count("out") != 0) options.output_file = parsed["out"].as<std::string>();

    const auto threads = read_threads(parsed);
    if (!threads.ok()) return threads.status();
    options.threads = *threads;
    const auto device = parse_device(parsed["device"].as<std::string>());
    if (!device.ok()) return device.status();
    options.device = *device;
    if (const auto text = parsed["device-memory"].as<std::string>(); text != "auto") {
        const auto bytes = parse_size_bytes(text, "--device-memory");
        if (!bytes.ok()) return bytes.status();
        if (*bytes == 0) return Status::usage("--device-memory 0: expected a size above 0, or auto");
        options.device_memory_bytes = *bytes;
    }
    const auto backend = cpu_backend_from_name(parsed["cpu-backend"].as<std::string>());
    if (!backend.ok()) return backend.status();
    options.cpu_backend = *backend;
    options.stats = parsed.count("stats") != 0;
    options.quiet = parsed.count("quiet") != 0;
    return options;
}

Result<CommonOptions> read_common_options(const cxxopts::ParseResult& parsed) {
    CommonOptions options;
    if (parsed.count("query") == 0) return Status::usage("no queries: name a FASTA file with -q");
    if (parsed.count("db") == 0) return Status::usage("no database: name one with -d (dbconv makes it)");
    const auto run = read_run_options(parsed);
    if (!run.ok()) return run.status();
    static_cast<RunOptions&>(options) = *run;
    options.query_file = parsed["query"].as<std::string>();
    for (const std::string& file : parsed["db"].as<std::vector<std::string>>())
        options.database_files.emplace_back(file);
    if (const auto text = parsed["chunk-size"].as<std::string>(); text != "auto") {
        const auto bytes = parse_size_bytes(text, "--chunk-size");
        if (!bytes.ok()) return bytes.status();
        if (*bytes == 0) return Status::usage("--chunk-size 0: expected a size above 0, or auto");
        options.chunk_bytes = *bytes;
    }
    return options;
}

std::string report_option(const RunOptions& options) { return options.output_file ? "-o" : "the report"; }

RunFiles files_of(const CommonOptions& options) {
    RunFiles files;
    files.add_input("-q", options.query_file);
    for (const std::filesystem::path& database : options.database_files) files.add_input("-d", database);
    files.add_output(report_option(options), options.output_file);
    return files;
}

Result<HitListOptions> read_hit_list_options(const cxxopts::ParseResult& parsed) {
    HitListOptions options;
    const auto evalue = parse_number(parsed["evalue"].as<std::string>(), "--evalue", 0);
    if (!evalue.ok()) return Status::usage(evalue.status().message() + ", or inf");
    options.evalue = *evalue;
    const auto max_hits = parse_whole_number(parsed["max-hits"].as<std::string>(), "--max-hits", 0);
    if (!max_hits.ok()) return max_hits.status();
    options.max_hits = static_cast<std::uint64_t>(*max_hits);
    options.outfmt = parsed["outfmt"].as<std::string>();
    return options;
}

}  // namespace warpseq
