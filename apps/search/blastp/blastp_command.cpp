#include "apps/search/blastp/blastp_command.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <future>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/common/command_line.h"
#include "apps/common/progress.h"
#include "apps/search/driver/batch_work.h"
#include "apps/search/driver/search_driver.h"
#include "apps/search/driver/statistics.h"
#include "engines/blastp/blastp_engine.h"
#include "engines/blastp/query_parts.h"
#include "engines/targets/headers.h"
#include "libcore/base/clock.h"
#include "libcore/base/number_format.h"
#include "options/arguments.h"
#include "options/blastp/blastp_options.h"
#include "options/blastp/blastp_run.h"
#include "options/option_set.h"
#include "reports/blast/blastp_record.h"
#include "reports/blast/blastp_report.h"
#include "reports/blast/searched_databases.h"
#include "reports/report_text.h"

namespace warpseq {
namespace {

class BlastpSteps final : public SearchSteps {
   public:
    BlastpSteps(const BlastpOptions& options, const BlastpNames& names, std::unique_ptr<BlastpReport> writer)
        : options_(options), names_(names), writer_(std::move(writer)) {}

    SearchSpeed speed() const override { return kBlastpSpeed; }
    void choose_deflines(std::shared_ptr<const DeflineChoice> lines) override { lines_ = std::move(lines); }
    Status open(const Session& session, const SearchControl& control, Division& division) override;
    std::size_t batches_in_flight() const override {
        return division_->batches_in_flight(engine_->batches_in_flight());
    }
    Result<std::unique_ptr<SearchBatch>> start_batch() override;
    Status report(SearchBatch& batch) override;
    Status finish() override;
    std::vector<std::string> warnings() const override;
    void print_statistics(double seconds_to_open, double seconds_in_all) const override;

   private:
    /// Returns the options' settings, with the totals that E-values count.
    BlastpSettings counted_settings(const DatabaseSet& databases) const;
    Status warn_of_empty_subjects() const;

    using Work = BatchWork<BlastpEngine, BlastpBatch, BlastpPartial, std::vector<BlastpQueryResult>>;
    struct Batch final : SearchBatch {
        ~Batch() override { wait(); }
        BlastpBatch queries;
        struct Place {
            std::uint64_t number, whole_residues;  // as in Query
            std::uint64_t group;                   // as in QueryWithParts
        };
        std::vector<Place> places;  // places of the queries
        std::future<Result<Work::Found>> found;
        void wait() noexcept override {
            if (found.valid()) static_cast<void>(guarded([&] { return found.get().status(); }));
        }
    };
    Status report(const Batch& batch, std::vector<BlastpQueryResult> results);
    /// Calls on_query_group() if places[q] is the first one of its group.
    void tell_group(const std::vector<Batch::Place>& places, std::size_t q);
    BlastpRun description() const { return report_run(options_, session_->databases(), names_, engine_->statistics()); }

    const BlastpOptions& options_;
    BlastpNames names_;
    std::unique_ptr<BlastpReport> writer_;
    std::shared_ptr<const DeflineChoice> lines_;  // chosen lines of merged sequences; null: all are shown
    ShownLines shown_lines_;                      // the same
    const Session* session_ = nullptr;
    const SearchControl* control_ = nullptr;
    Division* division_ = nullptr;
    std::optional<ReportText> report_;
    std::unique_ptr<BlastpEngine> engine_;
    std::optional<Work> work_;
    std::optional<PartedQueryReader> reader_;
    std::uint64_t query_count_ = 0, query_residues_ = 0, alignment_count_ = 0;
    std::vector<std::string> held_query_warnings_;  // held back until a query has residues
    std::optional<std::uint64_t> told_group_;       // the last group that on_query_group() was called for
    ShortQueryAdvice short_queries_;
    double seconds_from_scan_ = 0;  // from the wait for a scan to its reports, over all batches
};

Status BlastpSteps::open(const Session& session, const SearchControl& control, Division& division) {
    session_ = &session;
    control_ = &control;
    division_ = &division;
    shown_lines_ = lines_chosen_by(lines_, options_.common.targets, session.databases());
    name_databases(session.databases(), names_);
    WARPSEQ_TRY(find_taxa(session.databases(), writer_->names_taxa() && division.reports(), names_));
    if (writer_->lists_subjects() && names_.are_subjects && names_.of(0).has_parsed_ids) {
        auto subjects = name_subjects(session.databases(), session.pool());
        if (!subjects.ok()) return subjects.status();
        names_.subjects = *std::move(subjects);
    }
    if (division.reports()) {
        auto report = ReportText::open(options_.common.output_file, ReportText::kHeldBytes, options_.common.existing);
        if (!report.ok()) return report.status();
        report_.emplace(*std::move(report));
    }
    auto engine = BlastpEngine::create(session, counted_settings(session.databases()));
    if (!engine.ok()) return engine.status();
    engine_ = *std::move(engine);
    work_.emplace(
        division, session, *engine_, control,
        Work::ending_of(*engine_,
                        [this](const BlastpBatch& batch, BlastpPartial partial, const Work::Take& take) -> Status {
                            auto results = engine_->finish(batch, std::move(partial), *control_);
                            if (!results.ok()) return results.status();
                            return take(*std::move(results), true);
                        }));
    if (options_.on_subject_warning) WARPSEQ_TRY(warn_of_empty_subjects());
    FastaOptions reading = options_.query_reading;
    reading.find_lower_case = options_.settings.lower_case_masking;
    reader_.emplace(options_.common.query_file, engine_->batch_limits(division.batches_in_flight(0)),
                    std::move(reading));
    if (options_.query_range) reader_->take_range(*options_.query_range);
    if (report_) writer_->begin(description(), report_->text());
    return {};
}

BlastpSettings BlastpSteps::counted_settings(const DatabaseSet& databases) const {
    BlastpSettings settings = options_.settings;
    const std::vector<bool>& is_counted = options_.counted_databases;
    std::uint64_t residues = 0;
    std::size_t given = 0;
    for (std::size_t d = 0; d < databases.size(); ++d) {
        if (d > 0 && !databases.continues_set(d)) ++given;
        if (given >= is_counted.size() || !is_counted[given]) continue;
        settings.database_sequences += databases.sequence_count(d);
        residues += databases.residue_count(d);
    }
    if (settings.database_residues == 0) settings.database_residues = residues;
    return settings;
}

Status BlastpSteps::warn_of_empty_subjects() const {
    const DatabaseSet& databases = session_->databases();
    std::vector<SequencePlace> empty;
    for (std::uint32_t d = 0; d < databases.size(); ++d) {
        const auto lengths = databases.reader(d).lengths_residues();  // longest first
        const auto first = std::ranges::find(lengths, std::uint64_t{0});
        for (auto rank = first - lengths.begin(); rank < std::ssize(lengths); ++rank)
            empty.push_back({d, static_cast<std::uint64_t>(rank)});
    }
    std::vector<std::string> warnings(empty.size());
    WARPSEQ_TRY(for_each_header(databases, empty, session_->pool(), [&](std::size_t i, std::string_view header) {
        const std::uint64_t position = databases.reader(empty[i].database).input_positions()[empty[i].rank];
        warnings[i] = empty_subject_warning(names_, position, header);
    }));
    for (const std::string& warning : warnings) options_.on_subject_warning(warning);
    return {};
}

Result<std::unique_ptr<SearchBatch>> BlastpSteps::start_batch() {
    auto queries = reader_->next_batch();
    if (!queries.ok()) return queries.status();
    if (const auto answer = reader_->take_nucleotide_answer()) control_->observer.note("warning: " + *answer);
    if (queries->empty()) {
        if (query_residues_ == 0 && options_.on_no_query_residues)
            WARPSEQ_TRY(options_.on_no_query_residues(query_count_));
        return std::unique_ptr<SearchBatch>();
    }
    query_count_ += queries->size();
    for (const QueryWithParts& each : *queries) query_residues_ += each.query.residues.size();
    auto batch = std::make_unique<Batch>();
    for (const QueryWithParts& each : *queries)
        batch->places.push_back({each.query.number, each.query.whole_residues, each.group});
    auto prepared = engine_->prepare(*std::move(queries), *control_);
    if (!prepared.ok()) return prepared.status();
    batch->queries = *std::move(prepared);
    batch->found = work_->start(batch->queries, work_->policy());
    return std::unique_ptr<SearchBatch>(std::move(batch));
}

Status BlastpSteps::report(SearchBatch& any) {
    auto& batch = static_cast<Batch&>(any);
    const auto start = Clock::now();
    auto found = batch.found.get();
    if (!found.ok()) return found.status();
    if (!report_) return {};
    WARPSEQ_TRY(work_->report(batch.queries, *std::move(found), [&](std::vector<BlastpQueryResult> results) {
        return report(batch, std::move(results));
    }));
    seconds_from_scan_ += seconds_since(start);
    return {};
}

Status BlastpSteps::report(const Batch& batch, std::vector<BlastpQueryResult> results) {
    const BlastpRun run = description();
    for (std::size_t q = 0; q < results.size(); ++q) {
        BlastpQueryResult& result = results[q];
        // The original shows one hit for an identifier. The own report leaves no sequence out.
        prepare_headers(session_->databases(), names_, shown_lines_, options_.layout.has_ncbi_lines, result);
        if (options_.on_query_group) tell_group(batch.places, q);
        if (options_.on_query_warning) {
            const std::string warning =
                query_warning(names_, options_.settings, batch.queries.queries[q], batch.places[q].number);
            if (!warning.empty()) held_query_warnings_.push_back(warning);
            if (session_->databases().searched_totals().sequences == 0)
                held_query_warnings_.push_back(
                    empty_database_warning(names_, batch.queries.queries[q], batch.places[q].number));
            if (query_residues_ > 0 || !options_.on_no_query_residues) {
                for (const std::string& held : held_query_warnings_) options_.on_query_warning(held);
                held_query_warnings_.clear();
            }
        }
        const auto knows_taxa = [](const BlastpNames::Taxa& taxa) { return taxa.tree && !taxa.tree->empty(); };
        if (options_.on_unknown_taxa && std::ranges::none_of(names_.taxa, knows_taxa)) options_.on_unknown_taxa();
        for (const BlastpHit& hit : result.hits) alignment_count_ += hit.hsps.size();
        short_queries_.add(batch.queries.queries[q].residues.size(), result.hits.size());
        WARPSEQ_TRY(writer_->add(run,
                                 {.query = batch.queries.queries[q],
                                  .number = batch.places[q].number,
                                  .whole_residues = batch.places[q].whole_residues,
                                  .effective_search_space = result.effective_search_space,
                                  .length_adjustment = result.length_adjustment,
                                  .hits = result.hits,
                                  .headers = result.headers},
                                 report_->text()));
        WARPSEQ_TRY(report_->spill());
    }
    return {};
}

void BlastpSteps::tell_group(const std::vector<Batch::Place>& places, std::size_t q) {
    if (told_group_ == places[q].group) return;
    told_group_ = places[q].group;
    const auto last = std::find_if(places.rbegin(), places.rend(),
                                   [&](const Batch::Place& place) { return place.group == places[q].group; });
    options_.on_query_group(places[q].number, last->number);
}

Status BlastpSteps::finish() {
    writer_->end(description(), report_->text());
    return report_->finish();
}

std::vector<std::string> BlastpSteps::warnings() const {
    std::vector<std::string> warnings = reader_->warnings();
    if (auto advice = short_queries_.text(options_.settings)) warnings.push_back(*std::move(advice));
    return warnings;
}

void BlastpSteps::print_statistics(double seconds_to_open, double seconds_in_all) const {
    const StatisticsPrinter out(22);
    const BlastpCounts counts = engine_->counts();
    const auto gpu = engine_->gpu_counts();
    out.line("queries", format_count(query_count_));
    out.line("sequences", format_count(session_->databases().sequence_count()));
    out.line("residues", format_count(session_->databases().residue_count()));
    if (!gpu) out.line("pairs with gaps", format_count(engine_->pairs_scored()) + " scored");
    if (gpu && gpu->seeded_pairs > 0) {
        out.line("pairs with seeds",
                 format_count(gpu->seeded_pairs) + ", " + three_decimals(gpu->kernel_seconds) + " s of GPU time");
        out.line("seconds to score", three_decimals(gpu->scoring_seconds) + " of those pairs (summed over workers)");
    }
    if (gpu) print_host_part(out, options_.common, gpu->host, gpu->cells);
    out.line("pairs looked at", format_count(counts.candidates));
    out.line("alignments", format_count(alignment_count_));
    out.line("seconds to open", three_decimals(seconds_to_open));
    out.line("seconds to scan", three_decimals(counts.screen_seconds) + (gpu ? " (not hidden by what follows)" : ""));
    out.line("seconds to search", three_decimals(counts.search_seconds));
    out.line("seconds to report", three_decimals(seconds_from_scan_ - counts.screen_seconds - counts.search_seconds));
    out.line("seconds in all", three_decimals(seconds_in_all));
}

}  // namespace

Status run_blastp_command(const OptionValues& values, Division* division) {
    const auto read = read_blastp_options(values);
    if (!read.ok()) return read.status();
    TerminalObserver observer("search blastp", read->common.quiet, report_place(read->common));
    for (const std::string& warning : read->warnings) observer.note("warning: " + warning);
    const BlastpNames names = names_of_files(read->common.database_files);
    return run_blastp_search(*read, names, observer, division);
}

Status run_blastp_search(const BlastpOptions& options, const BlastpNames& names, Observer& observer,
                         Division* division) {
    auto writer =
        make_blastp_report(options.outfmt, options.common.output_file, options.common.existing, options.has_header);
    if (!writer.ok()) return of_option("--outfmt", writer.status());
    RunFiles files = files_of(options.common);
    (*writer)->add_outputs(files);
    WARPSEQ_TRY(files.check());
    return run_search(std::make_unique<BlastpSteps>(options, names, *std::move(writer)), options.common, observer,
                      division);
}

}  // namespace warpseq
