#include "apps/search/hmm/hmm_outputs.h"

#include <utility>

#include "apps/search/hmm/hmm_alignment.h"
#include "apps/search/hmm/hmm_tables.h"

namespace warpseq {

namespace {

constexpr std::size_t kHeldTextBytes = std::size_t{64} << 20;
constexpr std::size_t kStockholmColumns = 200;

}  // namespace

Status HmmOutputs::Output::write_if_much() {
    if (held.size() < kHeldTextBytes) return {};
    const Status status = sink.write(held);
    held.clear();
    return status;
}

template <typename Action>
Status HmmOutputs::for_each(Action action) {
    for (std::optional<Output>* output : {&alignment_, &targets_, &domains_, &pfam_, &report_})
        if (*output) WARPSEQ_TRY(action(**output));
    return {};
}

Result<HmmOutputs> HmmOutputs::open(const HmmOptions& options) {
    HmmOutputs outputs(options);
    const auto open_sink = [](const std::optional<std::filesystem::path>& file,
                              std::optional<Output>& output) -> Status {
        auto sink = OutputSink::open(file);
        if (!sink.ok()) return sink.status();
        output.emplace(Output{*std::move(sink), {}});
        return {};
    };
    WARPSEQ_TRY(open_sink(options.common.output_file, outputs.report_));
    if (options.alignment_file) WARPSEQ_TRY(open_sink(options.alignment_file, outputs.alignment_));
    if (options.target_table_file) WARPSEQ_TRY(open_sink(options.target_table_file, outputs.targets_));
    if (options.domain_table_file) WARPSEQ_TRY(open_sink(options.domain_table_file, outputs.domains_));
    if (options.pfam_table_file) WARPSEQ_TRY(open_sink(options.pfam_table_file, outputs.pfam_));
    return outputs;
}

void HmmOutputs::begin(HmmQueryKind kind) {
    kind_ = kind;
    append_report_header(*options_, kind, report_->held);
}

HmmOutputs::Text HmmOutputs::format(const ProfileHmm& hmm, const ForwardProfile& odds, const HmmReport& report,
                                    bool first) const {
    Text text;
    append_query_report(*options_, kind_, hmm, odds, report, text.report);
    if (targets_) append_target_table(hmm, report, first, text.targets);
    if (domains_) append_domain_table(hmm, report, first, text.domains);
    if (pfam_) append_pfam_table(report, text.pfam);
    if (alignment_) format_alignment(hmm, report, text);
    return text;
}

void HmmOutputs::format_alignment(const ProfileHmm& hmm, const HmmReport& report, Text& text) const {
    const auto alignment = align_domains(hmm, report);
    if (!alignment) {
        text.report += "# No hits satisfy inclusion thresholds; no alignment saved\n";
        return;
    }
    append_stockholm(*alignment, options_->text_width == 0 ? 0 : kStockholmColumns, text.alignment);
    text.report += "# Alignment of " + std::to_string(alignment->rows.size()) +
                   " hits satisfying inclusion thresholds saved to: " + options_->alignment_file->string() + "\n";
}

Status HmmOutputs::append(const Text& text) {
    report_->held += text.report;
    if (targets_) targets_->held += text.targets;
    if (domains_) domains_->held += text.domains;
    if (pfam_) pfam_->held += text.pfam;
    if (alignment_) alignment_->held += text.alignment;
    return for_each([](Output& output) { return output.write_if_much(); });
}

Status HmmOutputs::finish() {
    for (std::optional<Output>* table : {&targets_, &domains_, &pfam_})
        if (*table) append_table_end(*options_, (*table)->held);
    report_->held += "[ok]\n";
    WARPSEQ_TRY(for_each([](Output& output) { return output.sink.write(output.held); }));
    return for_each([](Output& output) { return output.sink.finish(); });
}

}  // namespace warpseq
