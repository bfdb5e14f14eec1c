#include "apps/search/hmmalign/hmmalign_command.h"

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/common/command_line.h"
#include "apps/search/driver/statistics.h"
#include "engines/hmm/hmm_alignment.h"
#include "engines/hmm/sequence_aligner.h"
#include "formats/alignments/alignment_reader.h"
#include "formats/alignments/alignment_writer.h"
#include "formats/io/output_sink.h"
#include "formats/io/run_files.h"
#include "formats/profiles/pressed_profiles.h"
#include "libcore/base/clock.h"
#include "libcore/base/number_format.h"
#include "libcore/base/thread_pool.h"
#include "options/hmmalign/hmmalign_input.h"

namespace warpseq {

namespace {

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

}  // namespace

Status run_hmmalign(const HmmalignOptions& options, AlignmentReader* mapped_reader) {
    WARPSEQ_TRY(check_files(options));
    const auto start = Clock::now();
    const auto hmm = read_only_profile(options.profile_file);
    if (!hmm.ok()) return hmm.status();
    auto sequences = read_sequences_to_align(options, *hmm, mapped_reader);
    if (!sequences.ok()) return sequences.status();
    auto output = OutputSink::open(options.run.output_file, options.run.existing);
    if (!output.ok()) return output.status();
    const double read_seconds = seconds_since(start);

    const ThreadPool pool(options.run.threads);
    const SequenceAligner aligner(*hmm, options.run.cpu_backend);
    const std::span<AlignedSequence> to_align = sequences->to_align();
    WARPSEQ_TRY(aligner.align(to_align, pool));
    const double align_seconds = seconds_since(start) - read_seconds;
    const std::uint64_t aligned = to_align.size();
    std::uint64_t cells = 0;
    for (const AlignedSequence& sequence : to_align)
        cells += sequence.residues.size() * static_cast<std::uint64_t>(hmm->length);
    const MultipleAlignment alignment = finish_alignment(*hmm, *std::move(sequences), options.trim);
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

Status run_hmmalign_command(const OptionValues& values, Division* division) {
    if (division != nullptr) return Status::usage("hmmalign cannot be divided between processes");
    const auto options = read_hmmalign_options(values);
    if (!options.ok()) return options.status();
    return run_hmmalign(*options);
}

}  // namespace warpseq
