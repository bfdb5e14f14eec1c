#include "apps/search/hmmbuild/hmmbuild_command.h"
#include "apps/search/driver/search_driver.h"

#include <unistd.h>

#include <array>
#include <ctime>
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
#include "formats/profiles/matrix_file.h"
#include "libcore/base/draw_seed.h"
#include "libcore/base/thread_pool.h"
#include "libcore/base/version.h"
#include "libcore/scoring/profile_matrices.h"
#include "reports/hmmer/hmm_build_report.h"

namespace warpseq {
namespace {

std::string date_of_now() {
    const std::time_t now = std::time(nullptr);
    std::tm local = {};
    std::array<char, 64> text{};
    if (localtime_r(&now, &local) == nullptr) return {};
    const std::size_t length = std::strftime(text.data(), text.size(), "%a %b %e %H:%M:%S %Y", &local);
    return {text.data(), length};
}

Result<SubstitutionMatrix> matrix_of(const HmmbuildOptions& options) {
    constexpr std::string_view kFailed = "Failed to set single query seq score system:\n";
    if (options.matrix_file) {
        auto matrix = read_matrix_file(*options.matrix_file);
        if (matrix.ok()) return matrix;
        if (options.takes_hmmer_matrices_only && access(options.matrix_file->c_str(), R_OK) != 0) {
            return Status::io(std::string(kFailed) + "Failed to find or open matrix file " +
                              options.matrix_file->string());
        }
        return Status::invalid_input(std::string(kFailed) + matrix.status().message());
    }
    if (!options.takes_hmmer_matrices_only || is_hmmer_matrix(options.matrix_name)) {
        if (auto matrix = profile_matrix(options.matrix_name)) return *std::move(matrix);
    }
    return Status::invalid_input(std::string(kFailed) + "no matrix named " + options.matrix_name +
                                 " is available as a built-in");
}

Result<HmmBuildSettings> settings_of(const HmmbuildOptions& options) {
    HmmBuildSettings settings;
    settings.profile = options.profile;
    settings.calibration = options.calibration;
    if (settings.calibration.seed == 0) settings.calibration.seed = draw_seed();
    settings.backend = options.run.cpu_backend;
    settings.keeps_alignments = options.processed_file.has_value();
    settings.date = date_of_now();
    settings.error_prefix = options.error_prefix;
    if (!options.single_by_matrix) return settings;
    const Result<SubstitutionMatrix> matrix = matrix_of(options);
    if (!matrix.ok()) return matrix.status();
    Result<ReplacementProbabilities> replacements = replacement_probabilities(*matrix);
    if (!replacements.ok()) return replacements.status();
    settings.single_sequence = {*std::move(replacements), options.gaps};
    return settings;
}

/// Checks that the letters are those of proteins. An alignment whose letters could be anything is
/// refused, too.
Status check_letters(const HmmbuildOptions& options, AlignmentReader& reader) {
    if (options.is_protein) return reader.open();
    const Result<AlignmentLetterKind> kind = reader.letter_kind();
    if (!kind.ok()) return kind.status();
    if (*kind == AlignmentLetterKind::kProtein) return {};
    const std::string file = options.alignment_file.string();
    if (*kind == AlignmentLetterKind::kUnknown)
        return Status::invalid_input(file + ": its letters may or may not be amino acids; if they are, add --amino");
    return Status::invalid_input(file + ": its letters look like " +
                                 (*kind == AlignmentLetterKind::kDna ? "DNA" : "RNA") +
                                 "; warpseq builds protein profiles only (if these are proteins, add --amino)");
}

/// Returns the name of a profile whose alignment has none: the file's name without folder and
/// suffix.
std::string name_of_file(const std::filesystem::path& file) {
    return file == "-" ? std::string() : file.stem().string();
}

/// Names the alignments as they are read. Only a single alignment may lack a name of its own.
class AlignmentNames {
   public:
    explicit AlignmentNames(const HmmbuildOptions& options) : options_(options) {}

    Status name(MultipleAlignment& alignment) {
        ++read_;
        const bool has_name = !alignment.name.empty();
        if (has_name) ++named_;
        if (read_ == 1) {
            if (options_.name) {
                alignment.name = *options_.name;
            } else if (!has_name) {
                alignment.name = name_of_file(options_.alignment_file);
            }
            if (!alignment.name.empty()) return {};
            return Status::invalid_input("Failed to set model name: msa has no name, no msa filename, and no -n");
        }
        if (options_.name) return Status::invalid_input("Oops. Wait. You can't use -n with an alignment database.");
        constexpr const char* kNeeded = "Oops. Wait. I need name annotation on each alignment in a multi MSA file; ";
        if (!has_name) return Status::invalid_input(kNeeded + ("failed on #" + std::to_string(read_ + 1)));
        if (named_ != read_) return Status::invalid_input(std::string(kNeeded) + "first MSA didn't have one");
        return {};
    }

   private:
    const HmmbuildOptions& options_;
    std::uint64_t read_ = 0, named_ = 0;
};

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
    const Result<HmmBuildSettings> settings = settings_of(options);
    if (!settings.ok()) return settings.status();
    if (!options.refusal.empty()) return Status::usage(options.refusal);

    AlignmentNames names(options);
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
