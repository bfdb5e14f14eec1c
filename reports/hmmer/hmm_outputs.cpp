#include "reports/hmmer/hmm_outputs.h"

#include <utility>

#include "engines/hmm/hmm_alignment.h"
#include "formats/alignments/alignment_writer.h"
#include "formats/io/file_identity.h"
#include "reports/hmmer/hmm_tables.h"

namespace warpseq {

namespace {

/// Returns how much of an output is held back. A regular file appears only when it is complete. So
/// little of it is held back, which saves memory and time.
std::size_t held_bytes(const std::filesystem::path& file) {
    std::error_code error;
    const auto status = std::filesystem::symlink_status(file, error);
    constexpr std::size_t kOfFile = std::size_t{1} << 20;
    return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status) ? kOfFile
                                                                                        : ReportText::kHeldBytes;
}

}  // namespace

template <typename Action>
Status HmmOutputs::for_each(Action action) {
    for (std::optional<ReportText>* output : {&alignment_, &targets_, &domains_, &pfam_, &report_})
        if (*output) WARPSEQ_TRY(action(**output));
    return {};
}

Result<HmmOutputs> HmmOutputs::open(const HmmRun& run, const HmmOutputFiles& files,
                                    std::unique_ptr<HmmReportFormat> format) {
    HmmOutputs outputs(run, files, std::move(format));
    const auto open_output = [&files](const std::optional<std::filesystem::path>& file,
                                      std::optional<ReportText>& output,
                                      std::size_t held = ReportText::kHeldBytes) -> Status {
        auto opened = ReportText::open(file, held, files.existing);
        if (!opened.ok()) return opened.status();
        output.emplace(*std::move(opened));
        return {};
    };
    WARPSEQ_TRY(open_output(files.report, outputs.report_));
    if (files.alignment) WARPSEQ_TRY(open_output(files.alignment, outputs.alignment_, held_bytes(*files.alignment)));
    if (files.targets) WARPSEQ_TRY(open_output(files.targets, outputs.targets_));
    if (files.domains) WARPSEQ_TRY(open_output(files.domains, outputs.domains_));
    if (files.pfam) WARPSEQ_TRY(open_output(files.pfam, outputs.pfam_));
    return outputs;
}

void HmmOutputs::leave_out_unread_report() {
    if (!files_.report) return;
    const auto report = identify_file(*files_.report), nowhere = identify_file("/dev/null");
    report_is_read_ =
        !report.ok() || !nowhere.ok() || report->kind != FileIdentity::Kind::kDevice || !report->is_same(*nowhere);
}

void HmmOutputs::begin(HmmQueryKind kind, const DatabaseFacts& databases) {
    std::string nowhere;
    format_->begin(*run_, kind, databases, report_ ? report_->text() : nowhere);
}

HmmOutputs::Text HmmOutputs::format(const ProfileHmm& hmm, const ForwardProfile& odds, const HmmReport& report,
                                    bool first) const {
    Text text = format(HmmQuery(hmm, odds), report, first);
    if (files_.alignment) format_alignment(hmm, report, text);
    return text;
}

HmmOutputs::Text HmmOutputs::format(const HmmQuery& query, const HmmReport& report, bool first) const {
    Text text;
    if (report_is_read_) format_->append_query(query, report, first, text.report);
    if (files_.targets) append_target_table(query, report, first, text.targets);
    if (files_.domains) append_domain_table(query, report, first, text.domains);
    if (files_.pfam) append_pfam_table(report, text.pfam);
    return text;
}

void HmmOutputs::format_round(const ProfileHmm& query, const HmmRound& round, bool first, Text& text) const {
    const HmmQuery model(round.hmm, round.odds);
    if (report_is_read_) format_->append_round(query, model, round.report, round.facts, first, text.report);
    if (!round.facts.is_last) return;
    const HmmQuery named = named_by(query, model);
    if (files_.targets) append_target_table(named, round.report, first, text.targets);
    if (files_.domains) append_domain_table(named, round.report, first, text.domains);
    if (files_.pfam) append_pfam_table(round.report, text.pfam);
    if (files_.alignment) append_alignment_remark(round.facts.alignment_rows, text);
    format_->end_rounds(text.report);
}

/// Returns the format of the alignment. With lines of any length the alignment is one block, too.
AlignmentFormat HmmOutputs::alignment_format() const {
    const bool in_one_block = run_->alignment_format == AlignmentFormat::kStockholm && run_->text_width == 0;
    return in_one_block ? AlignmentFormat::kPfam : run_->alignment_format;
}

void HmmOutputs::append_alignment_remark(std::uint64_t rows, Text& text) const {
    format_->append_remark("Alignment of " + std::to_string(rows) +
                               " hits satisfying inclusion thresholds saved to: " + files_.alignment->string(),
                           text.report);
}

void HmmOutputs::format_alignment(const ProfileHmm& hmm, const HmmReport& report, Text& text) const {
    auto alignment = align_domains(hmm, report);
    if (!alignment) {
        format_->append_remark("No hits satisfy inclusion thresholds; no alignment saved", text.report);
        return;
    }
    alignment->author = run_->program.author;
    append_alignment_remark(alignment->rows.size(), text);
    if (keeps_rows_)
        text.rows = std::move(alignment);
    else
        append_alignment(*alignment, alignment_format(), text.alignment);
}

Status HmmOutputs::append(Text text) {
    ++queries_;
    report_->add(std::move(text.report));
    if (targets_) targets_->add(std::move(text.targets));
    if (domains_) domains_->add(std::move(text.domains));
    if (pfam_) pfam_->add(std::move(text.pfam));
    if (alignment_) alignment_->add(std::move(text.alignment));
    if (text.rows) WARPSEQ_TRY(write_rows(*text.rows));
    return for_each([](ReportText& output) { return output.spill(); });
}

Status HmmOutputs::append(Text text, const MultipleAlignment& alignment) {
    WARPSEQ_TRY(write_rows(alignment));
    return append(std::move(text));
}

Status HmmOutputs::write_rows(const MultipleAlignment& alignment) {
    if (!alignment_) return {};
    return write_alignment(alignment, alignment_format(), [this](std::string_view piece) {
        alignment_->text() += piece;
        return alignment_->spill();
    });
}

Status HmmOutputs::finish() {
    for (const auto& [table, kind] :
         {std::pair(&targets_, HmmTableKind::kTargets), std::pair(&domains_, HmmTableKind::kDomains),
          std::pair(&pfam_, HmmTableKind::kPfam)})
        if (*table) append_table_end(*run_, (*table)->text(), kind);
    format_->end(queries_, report_->text());
    return leave("");
}

Status HmmOutputs::leave(std::string_view last_lines) {
    report_->text() += last_lines;
    WARPSEQ_TRY(for_each([](ReportText& output) { return output.flush(); }));
    return for_each([](ReportText& output) { return output.finish(); });
}

}  // namespace warpseq
