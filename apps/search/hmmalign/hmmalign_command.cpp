#include "apps/search/hmmalign/hmmalign_command.h"

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/common/arguments.h"
#include "apps/common/command_line.h"
#include "apps/search/statistics.h"
#include "engines/hmm/hmm_alignment.h"
#include "engines/hmm/mapped_alignment.h"
#include "engines/hmm/sequence_aligner.h"
#include "formats/alignments/alignment_reader.h"
#include "formats/alignments/alignment_writer.h"
#include "formats/fasta/hmmer_fasta.h"
#include "formats/io/output_sink.h"
#include "formats/io/run_files.h"
#include "formats/profiles/hmm_file.h"
#include "formats/profiles/pressed_profiles.h"
#include "libcore/base/clock.h"
#include "libcore/base/number_format.h"
#include "libcore/base/thread_pool.h"
#include "libcore/base/version.h"

namespace warpseq {

namespace {

constexpr std::string_view kUsage = "-q PROFILE.hmm -d SEQUENCES [options]";

Result<ProfileHmm> read_profile(const std::filesystem::path& file) {
    HmmFileReader reader(profile_file_of(file));
    ProfileHmm hmm, other;
    const Result<bool> first = reader.next(hmm);
    if (!first.ok()) return first.status();
    const Result<bool> second = reader.next(other);
    if (!second.ok() || *second)
        return Status::invalid_input("HMM file " + file.string() + " does not contain just one HMM");
    return hmm;
}

Result<std::vector<AlignedSequence>> read_mapped(const ProfileHmm& hmm, const std::filesystem::path& file,
                                                 AlignmentReader& reader) {
    MultipleAlignment alignment;
    const Result<bool> got = reader.next(alignment);
    if (!got.ok()) return got.status();
    return map_alignment(hmm, alignment, file.string(), "--mapali");
}

/// `notes`: of formats/fasta/hmmer_fasta.h, for each sequence that is added.
Status read_sequences(const HmmalignOptions& options, std::vector<AlignedSequence>& sequences,
                      std::vector<std::string>& notes) {
    auto reader = SequenceFileReader::open(options.sequence_file, options.sequence_kind, options.sequence_format,
                                           options.dialect);
    if (!reader.ok()) return reader.status();
    NamedSequence sequence;
    for (;;) {
        const Result<bool> got = reader->next(sequence);
        if (!got.ok()) return got.status();
        if (!*got) return {};
        AlignedSequence& row = sequences.emplace_back();
        row.name = sequence.name;
        row.accession = sequence.accession;
        row.description = sequence.description;
        row.residues = sequence.residues;
        notes.push_back(sequence.unscored);
    }
}

Status check_files(const HmmalignOptions& options) {
    RunFiles files;
    files.add_input("the profile", options.profile_file);
    files.add_input("the file of sequences", options.sequence_file);
    if (options.mapped_alignment) files.add_input("--mapali", *options.mapped_alignment);
    for (const std::filesystem::path& file : files_beside_profiles(options.profile_file))
        files.add_input("the profile", file);
    files.set_existing(options.run.existing);
    files.add_output(report_option(options.run), options.run.output_file);
    return files.check();
}

Result<HmmalignOptions> read_options(const ParsedOptions& parsed) {
    HmmalignOptions options;
    const auto run = read_run_options(parsed);
    if (!run.ok()) return run.status();
    options.run = *run;
    for (const char* name : {"query", "db"})
        if (parsed.count(name) == 0)
            return Status::usage(std::string(name == std::string_view("db") ? "-d SEQUENCES" : "-q PROFILE") +
                                 " is missing (search hmmalign --help says more)");
    options.profile_file = parsed.text("query");
    options.sequence_file = parsed.text("db");
    if (options.profile_file == "-" && options.sequence_file == "-")
        return Status::usage("only one of -q and -d may be standard input");
    if (parsed.count("mapali") != 0) options.mapped_alignment = parsed.text("mapali");
    options.trim = parsed.count("trim") != 0;
    if (parsed.count("informat") != 0) {
        const std::string name = parsed.text("informat");
        options.sequence_format = alignment_format_named(name);
        options.sequence_kind = options.sequence_format ? SequenceFileKind::kAlignments : SequenceFileKind::kFasta;
        if (!options.sequence_format && name != "fasta") {
            return Status::usage("--informat " + name +
                                 ": expected fasta, or an alignment's: stockholm, pfam, a2m, psiblast, selex, afa, "
                                 "clustal, clustallike, phylip, phylips");
        }
    }
    const std::string name = parsed.text("outformat");
    const std::optional<AlignmentFormat> format = alignment_format_named(name);
    if (!format) {
        return Status::usage("--outformat " + name +
                             ": expected stockholm, pfam, a2m, a3m, psiblast, selex, afa, clustal, clustallike, "
                             "phylip or phylips");
    }
    options.output_format = *format;
    return options;
}

}  // namespace

OptionSet make_hmmalign_options() {
    OptionSet options("search hmmalign", "Sequences aligned to one profile, all of each");
    options.custom_help(std::string(kUsage));
    options.add_options("Input and output")                                                                          //
        ("q,query", "profile of HMMER 3; - is standard input", text_value(), "FILE")                                 //
        ("d,db", "sequences: FASTA, or alignments whose rows are taken; - is standard input", text_value(), "FILE")  //
        ("informat",
         "what -d is: fasta, stockholm, pfam, a2m, psiblast, selex, afa, clustal, clustallike, phylip, "
         "phylips; by content without it",
         text_value(), "FORMAT")  //
        ("mapali", "put the rows of the alignment that the profile was made of first", text_value(), "FILE");
    add_output_options(options);
    options.add_options("Input and output")  //
        ("outformat,aformat", "stockholm, pfam, a2m, a3m, psiblast, selex, afa, clustal, clustallike, phylip, phylips",
         text_value("stockholm"), "FORMAT")  //
        ("trim", "leave out residues before the first and behind the last node");
    add_machine_options(options);
    return options;
}

Status run_hmmalign(const HmmalignOptions& options, AlignmentReader* mapped_reader) {
    WARPSEQ_TRY(check_files(options));
    const auto start = Clock::now();
    const auto hmm = read_profile(options.profile_file);
    if (!hmm.ok()) return hmm.status();
    std::vector<AlignedSequence> sequences;
    if (options.mapped_alignment) {
        AlignmentReader own(*options.mapped_alignment);
        auto mapped = read_mapped(*hmm, *options.mapped_alignment, mapped_reader == nullptr ? own : *mapped_reader);
        if (!mapped.ok()) return mapped.status();
        sequences = *std::move(mapped);
    }
    const std::size_t mapped = sequences.size();
    std::vector<std::string> notes;
    WARPSEQ_TRY(read_sequences(options, sequences, notes));
    auto output = OutputSink::open(options.run.output_file, options.run.existing);
    if (!output.ok()) return output.status();
    const double read_seconds = seconds_since(start);

    const ThreadPool pool(options.run.threads);
    const SequenceAligner aligner(*hmm, options.run.cpu_backend);
    const std::span<AlignedSequence> to_align = std::span(sequences).subspan(mapped);
    WARPSEQ_TRY(aligner.align(to_align, pool));
    const double align_seconds = seconds_since(start) - read_seconds;
    const std::uint64_t aligned = to_align.size();
    std::uint64_t cells = 0;
    for (const AlignedSequence& sequence : to_align)
        cells += sequence.residues.size() * static_cast<std::uint64_t>(hmm->length);
    for (std::size_t s = 0; s < notes.size(); ++s) show_unscored(notes[s], 0, to_align[s].residues);
    const MultipleAlignment alignment = align_sequences(*hmm, std::move(sequences), options.trim);
    WARPSEQ_TRY(
        write_alignment(alignment, options.output_format, [&](std::string_view text) { return output->write(text); }));
    WARPSEQ_TRY(output->finish());
    if (options.run.stats) {
        const StatisticsPrinter out(20);
        out.line("sequences", format_count(aligned));
        out.line("cells", format_count(cells));
        out.line("seconds to read", three_decimals(read_seconds));
        out.line("seconds to align", seconds_and_rate(align_seconds, cells));
        out.line("seconds in all", three_decimals(seconds_since(start)));
    }
    return {};
}

Status run_hmmalign_command(int argc, char** argv, Division* division) {
    if (division != nullptr) return Status::usage("search hmmalign is not divided between processes");
    OptionSet set = make_hmmalign_options();
    const auto parsed = set.parse(argc, argv);
    if (!parsed.ok()) return parsed.status();
    if (parsed->count("help") != 0) return print(set.help());
    if (parsed->count("version") != 0)
        return print("search hmmalign (warpseq) " + std::string(program_version()) + "\n");
    const auto options = read_options(*parsed);
    if (!options.ok()) return options.status();
    return run_hmmalign(*options);
}

}  // namespace warpseq
