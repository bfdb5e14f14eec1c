#include "options/hmmalign/hmmalign_options.h"

#include <string>
#include <string_view>

namespace warpseq {
namespace {

/// Reads the name of a format that `search hmmalign` reads sequences from. A3M is read as A2M is.
/// Returns false if there is no such format.
bool read_format(const std::string& name, SequenceFileFormat& format) {
    if (const auto alignments = alignment_format_named(name)) {
        format.kind = SequenceFileKind::kAlignments;
        format.alignments = alignments;
        return true;
    }
    const auto named = sequence_format_named(name);
    // The other formats are those of HMMER's programs alone.
    if (!named || (named->dialect != FastaDialect::kHmmerFasta && named->kind != SequenceFileKind::kEmbl &&
                   named->kind != SequenceFileKind::kGenbank))
        return false;
    format.kind = named->kind;
    return true;
}

}  // namespace

OptionSet make_hmmalign_options() {
    OptionSet options("search hmmalign", "Aligns sequences to one profile, with all of their residues.\n");
    options.custom_help("-q PROFILE.hmm -d SEQUENCES [options]");
    options.add_options("Input and output")                                           //
        ("q,query", "profile of HMMER 3; - is standard input", text_value(), "FILE")  //
        ("d,db", "sequences: FASTA, EMBL, UniProt, GenBank, or rows of alignments; - is standard input", text_value(),
         "FILE");
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
        if (!read_format(name, options.sequences)) {
            return Status::usage("--informat " + name +
                                 ": expected fasta, embl, uniprot, genbank or ddbj, or an alignment's: stockholm, "
                                 "pfam, a2m, psiblast, selex, afa, clustal, clustallike, phylip, phylips");
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
