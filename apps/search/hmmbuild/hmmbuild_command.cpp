#include "apps/search/hmmbuild/hmmbuild_command.h"
#include "apps/search/driver/search_driver.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "apps/common/command_line.h"
#include "apps/common/progress.h"
#include "engines/build/hmm_build_engine.h"
#include "formats/alignments/alignment_writer.h"
#include "formats/io/output_sink.h"
#include "formats/profiles/hmm_writer.h"
#include "libcore/base/thread_pool.h"
#include "options/hmmbuild/hmmbuild_input.h"
#include "reports/hmmer/hmm_build_report.h"

namespace warpseq {
namespace {

/// The outputs: profiles, the table about them, and their alignments.
class Outputs {
   public:
    Status open(const HmmbuildOptions& options) {
        behind_ = options.profiles_behind;
        const auto open_sink = [&options](std::optional<OutputSink>& sink,
                                          const std::optional<std::filesystem::path>& file) -> Status {
            auto opened = OutputSink::open(file, options.run.existing);
            if (!opened.ok()) return opened.status();
            sink.emplace(*std::move(opened));
            return {};
        };
        WARPSEQ_TRY(open_sink(profiles_, options.run.output_file));
        if (options.summary != HmmbuildOptions::Summary::kNone) WARPSEQ_TRY(open_sink(summary_, options.summary_file));
        if (options.processed_file) WARPSEQ_TRY(open_sink(alignments_, options.processed_file));
        HmmBuildRun run;
        run.program = options.program;
        run.alignment_file = options.alignment_file.string();
        run.profile_file = options.run.output_file ? options.run.output_file->string() : "-";
        run.given = options.given;
        text_.clear();
        append_build_header(run, text_);
        return write_summary();
    }

    Status take(BuiltHmm built) {
        waiting_.push_back(std::move(built));
        return write_waiting(behind_);
    }

    Status finish(const std::string& end_of_summary) {
        WARPSEQ_TRY(write_waiting(0));
        text_ = end_of_summary;
        WARPSEQ_TRY(write_summary());
        for (std::optional<OutputSink>* sink : {&profiles_, &summary_, &alignments_}) {
            if (*sink) WARPSEQ_TRY((*sink)->finish());
        }
        return {};
    }

   private:
    /// Writes the profiles that wait, in order, until `left` are left.
    Status write_waiting(std::size_t left) {
        for (; waiting_.size() > left; waiting_.pop_front()) WARPSEQ_TRY(write(waiting_.front()));
        return {};
    }

    Status write(const BuiltHmm& built) {
        text_.clear();
        append_hmm(built.hmm, text_);
        WARPSEQ_TRY(profiles_->write(text_));
        text_.clear();
        append_build_row(++count_, built, text_);
        WARPSEQ_TRY(write_summary());
        if (!alignments_ || !built.alignment) return {};
        return write_alignment(*built.alignment, AlignmentFormat::kStockholm,
                               [this](std::string_view text) { return alignments_->write(text); });
    }

    Status write_summary() { return summary_ ? summary_->write(text_) : Status(); }

    std::optional<OutputSink> profiles_, summary_, alignments_;
    std::size_t behind_ = 0;
    std::deque<BuiltHmm> waiting_;
    std::uint64_t count_ = 0;
    std::string text_;
};

}  // namespace

Status run_hmmbuild(const HmmbuildOptions& options, AlignmentReader& reader, Observer& observer,
                    const std::function<std::string()>& end_of_summary) {
    WARPSEQ_TRY(run_files_of(options).check());
    WARPSEQ_TRY(check_letters(options, reader));
    Outputs outputs;
    WARPSEQ_TRY(outputs.open(options));
    const Result<HmmBuildSettings> settings = build_settings_of(options);
    if (!settings.ok()) return settings.status();
    if (!options.refusal.empty()) return Status::usage(options.refusal);

    AlignmentNames names(options.name, profile_name_of(options.alignment_file));
    const std::unique_ptr<Progress> progress = observer.begin("alignments", 0);
    const HmmBuildEngine engine(*settings, ThreadPool(options.run.threads));
    WARPSEQ_TRY(engine.run(
        [&](MultipleAlignment& alignment) -> Result<bool> {
            const Result<bool> read = reader.next(alignment);
            if (!read.ok() || !*read) return read;
            WARPSEQ_TRY(names.name(alignment));
            return true;
        },
        [&, done = std::uint64_t{0}](BuiltHmm built) mutable {
            progress->update(++done);
            return outputs.take(std::move(built));
        }));
    progress->finish();
    return outputs.finish(end_of_summary ? end_of_summary() : "");
}

Status run_hmmbuild_command(const OptionValues& values, Division* division) {
    if (division != nullptr) return Status::usage("hmmbuild cannot be divided between processes");
    Result<HmmbuildOptions> read = read_hmmbuild_options(values);
    if (!read.ok()) return read.status();
    for (HmmRun::Given& given : read->given)
        if (given.name == "--summary") given.label.clear();
    AlignmentReader reader(read->alignment_file, read->format);
    TerminalObserver observer("search hmmbuild", read->run.quiet, report_place(read->run));
    return run_hmmbuild(*read, reader, observer);
}

}  // namespace warpseq
