#include "apps/search/merge_command.h"

#include <vector>

#include "apps/common/command_line.h"
#include "apps/common/process.h"
#include "formats/io/part_file.h"
#include "formats/io/run_files.h"
#include "libcore/base/version.h"
#include "options/search/common_options.h"

namespace warpseq {

OptionSet make_merge_options() {
    OptionSet options("search merge",
                      "Makes the report of a search from a folder that holds all its parts (--part).\n"
                      "--dotplot is an output of pair, the four after it are outputs of hmm.\n");
    options.custom_help("FOLDER [-o REPORT] [options]");
    add_output_options(options);
    options.add_options("Input and output")                                               //
        ("dotplot", "drawing of where the alignments run, as SVG", text_value(), "FILE")  //
        ("A", "alignments of hits, in Stockholm format", text_value(), "FILE")            //
        ("tblout", "table of sequences", text_value(), "FILE")                            //
        ("domtblout", "table of domains", text_value(), "FILE")                           //
        ("pfamtblout", "table in Pfam's layout", text_value(), "FILE");
    add_machine_options(options);
    return options;
}

namespace {

/// Checks that no output replaces a part. The engine's command checks all other files.
Status check_files(const std::string& folder, const OptionValues& parsed) {
    const auto parts = find_parts(folder);
    if (!parts.ok()) return parts.status();
    RunFiles files;
    for (const std::filesystem::path& part : *parts) files.add_input("the folder of parts", part);
    for (const char* output : {"out", "dotplot", "A", "tblout", "domtblout", "pfamtblout"}) {
        if (parsed.count(output) != 0 && parsed.text(output) != "-")
            files.add_optional_output(parsed.text(output), parsed.text(output));
    }
    files.let_outputs_share_streams();
    return files.check();
}

}  // namespace

Status run_merge_command(int argc, char** argv, const RunEngine& run_engine) {
    OptionSet options = make_merge_options();
    const auto parsed = options.parse(argc, argv);
    if (!parsed.ok()) return parsed.status();
    if (parsed->count("help") != 0) return print(options.help() + "\n");
    if (parsed->count("version") != 0) return print("search (warpseq) " + std::string(program_version()) + "\n");
    if (parsed->unmatched().size() != 1)
        return Status::usage("name one folder of parts: search merge FOLDER -o REPORT");
    const std::string& folder = parsed->unmatched().front();
    allow_most_open_files();  // each part is an open file
    auto arguments = arguments_of_parts(folder);
    if (!arguments.ok()) return arguments.status();
    auto division = merge_of_parts(folder);
    if (!division.ok()) return division.status();
    WARPSEQ_TRY(check_files(folder, *parsed));
    const std::string engine = arguments->front();
    arguments->erase(arguments->begin());
    return run_engine(engine, *arguments, parsed->canonical_without({}), **division);
}

}  // namespace warpseq
