#include "options/hmmalign/hmmalign_options.h"

#include <string>
#include <string_view>

namespace warpseq {

OptionSet make_hmmalign_options() {
    OptionSet options("search hmmalign", "Aligns sequences to one profile, with all of their residues.\n");
    options.custom_help("-q PROFILE.hmm -d SEQUENCES [options]");
    options.add_options("Input and output")                                           //
        ("q,query", "profile of HMMER 3; - is standard input", text_value(), "FILE")  //
        ("d,db", "sequences: FASTA, or the rows of alignments; - is standard input", text_value(), "FILE");
    options.add_rows(hmmalign_rows::kInputs, "Input and output");
    add_output_options(options);
    options.add_rows(hmmalign_rows::kOutputs, "Input and output");
    add_machine_options(options);
    return options;
}

Result<HmmalignOptions> read_hmmalign_options(const OptionValues& values) {
    HmmalignOptions options;
    const auto run = read_run_options(values);
    if (!run.ok()) return run.status();
    options.run = *run;
    for (const char* name : {"query", "db"})
        if (values.count(name) == 0)
            return Status::usage(std::string(name == std::string_view("db") ? "-d SEQUENCES" : "-q PROFILE") +
                                 " is missing (search hmmalign --help says more)");
    options.profile_file = values.text("query");
    options.sequence_file = values.text("db");
    if (options.profile_file == "-" && options.sequence_file == "-")
        return Status::usage("only one of -q and -d may be standard input");
    if (values.count("mapali") != 0) options.mapped_alignment = values.text("mapali");
    options.trim = values.count("trim") != 0;
    if (values.count("informat") != 0) {
        const std::string name = values.text("informat");
        options.sequence_format = alignment_format_named(name);
        options.sequence_kind = options.sequence_format ? SequenceFileKind::kAlignments : SequenceFileKind::kFasta;
        if (!options.sequence_format && name != "fasta") {
            return Status::usage("--informat " + name +
                                 ": expected fasta, or an alignment's: stockholm, pfam, a2m, psiblast, selex, afa, "
                                 "clustal, clustallike, phylip, phylips");
        }
    }
    const std::string name = values.text("outformat");
    const std::optional<AlignmentFormat> format = alignment_format_named(name);
    if (!format) {
        return Status::usage("--outformat " + name +
                             ": expected stockholm, pfam, a2m, a3m, psiblast, selex, afa, clustal, clustallike, "
                             "phylip or phylips");
    }
    options.output_format = *format;
    return options;
}

}  // namespace warpseq
