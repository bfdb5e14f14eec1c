// `dbconv IN.fasta [MORE ...] -o OUT.wsdb`: makes a database of protein sequences.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "apps/common/arguments.h"
#include "apps/common/command_line.h"
#include "apps/common/option_set.h"
#include "apps/common/process.h"
#include "apps/dbconv/convert.h"
#include "formats/output_sink.h"
#include "libcore/base/number_format.h"
#include "libcore/base/version.h"

namespace warpseq {
namespace {

Status run(int argc, char** argv) {
    OptionSet options("dbconv", "Makes a database (.wsdb) of protein sequences from FASTA: plain, gzip or zstd.\n");
    options.custom_help("[options] -o OUT.wsdb").positional_help("IN.fasta [MORE ...]   (- is standard input)");
    options.add_options("Input and output")                                                    //
        ("o,out", "the database to write; it appears when it is whole", text_value(), "FILE")  //
        ("codec", "packed (5 bits a residue, read in place) or zstd (smaller, for archives and slow disks)",
         text_value("packed"), "NAME")                                                                             //
        ("force", "replace an existing database, once the new one is whole")                                       //
        ("skip-invalid", "leave records with invalid characters out and name each, instead of refusing the file")  //
        ("expect-protein", "refuse sequences that look like nucleotides")                                          //
        ("quiet", "print errors and left-out records only");
    options.add_options("Machine")                                                          //
        ("threads", "threads to use; default: all the process may use", text_value(), "N")  //
        ("memory", "memory to stay within; what does not fit goes to temporary files beside the output, or in $TMPDIR",
         text_value("4G"), "SIZE");
    options.add_options("Other")("h,help", "print this help")("version", "print the version");
    options.add_options("hidden")("input", "", texts_value());
    options.parse_positional("input");
    const auto parsed = options.parse(argc, argv);
    if (!parsed.ok()) return parsed.status();
    if (parsed->count("help") != 0) {
        return print(options.help({"Input and output", "Machine", "Other"}) + "\n");
    }
    if (parsed->count("version") != 0) {
        return print("dbconv (warpseq) " + std::string(program_version()) + "\n");
    }

    ConvertOptions convert_options;
    if (parsed->count("input") == 0) return Status::usage("no input: name FASTA files, or - for standard input");
    for (const auto& name : parsed->texts("input")) convert_options.inputs.emplace_back(name);
    if (parsed->count("out") == 0) return Status::usage("no output: name the database to write with -o");
    convert_options.output = parsed->text("out");
    const auto codec = parsed->text("codec");
    if (codec != "packed" && codec != "zstd") {
        return Status::usage("--codec " + codec + ": unknown codec; choose packed or zstd");
    }
    convert_options.codec = codec == "packed" ? ResidueCodec::kPacked : ResidueCodec::kZstd;
    const auto threads = read_threads(*parsed);
    if (!threads.ok()) return threads.status();
    convert_options.threads = *threads;
    const auto memory = parse_size_bytes(parsed->text("memory"), "--memory");
    if (!memory.ok()) return memory.status();
    convert_options.memory_bytes = *memory;
    convert_options.replace = parsed->count("force") != 0;
    convert_options.skip_invalid = parsed->count("skip-invalid") != 0;
    convert_options.expect_protein = parsed->count("expect-protein") != 0;
    convert_options.quiet = parsed->count("quiet") != 0;
    if (const char* folder = std::getenv("TMPDIR"); folder != nullptr) convert_options.temporary_folder = folder;
    convert_options.on_invalid_record = [](const std::string& message) {
        print_message("dbconv", "left out: " + message);
    };

    const auto report = convert(convert_options);
    if (!report.ok()) return report.status();
    if (convert_options.quiet) return {};
    for (const std::string& warning : report->warnings) print_message("dbconv", "warning: " + warning);
    const WsdbSummary& summary = report->summary;
    const std::uint64_t words = summary.residue_words + summary.padding_words;
    char padding[32];
    std::snprintf(padding, sizeof padding, "%.2f %%",
                  words == 0 ? 0.0 : 100.0 * static_cast<double>(summary.padding_words) / static_cast<double>(words));
    return print(convert_options.output.string() + ": " + format_count(summary.sequences) +
                 (summary.sequences == 1 ? " sequence, " : " sequences, ") + format_count(summary.residues) +
                 " residues, the longest " + format_count(summary.longest_residues) + "\n  " +
                 format_size_bytes(summary.file_bytes) + ", codec " + codec + ", " + format_count(summary.tiles) +
                 " tiles (" + format_count(summary.linear_tiles) + " linear), padding " + padding + ", content " +
                 summary.content_digest + "\n");
}

}  // namespace
}  // namespace warpseq

int main(int argc, char** argv) {
    using namespace warpseq;
    prepare_process("dbconv");
    Status status = guarded([&] { return run(argc, argv); });
    if (status.code() == StatusCode::kOutOfMemory)
        status = Status::out_of_memory("out of memory; a smaller --memory may help");
    return report_status("dbconv", status);
}
