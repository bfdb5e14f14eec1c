#include "bindings/searches/hmm_writer.h"

#include "engines/hmm/hmm_alignment.h"
#include "engines/hmm/hmm_rounds.h"
#include "formats/alignments/alignment_writer.h"

namespace warpseq {

std::optional<MultipleAlignment> alignment_of(const HmmHits& hits) {
    if (hits.hmm == nullptr) return std::nullopt;
    const ThreadPool pool(1);
    auto alignment = hits.round ? align_round(*hits.own_profile, hits.round->number, *hits.hmm, hits.report, pool)
                                : align_domains(*hits.hmm, hits.report);
    if (alignment) alignment->author = hits.run->options.run.program.author;
    return alignment;
}

Result<HmmWriter> HmmWriter::of(std::shared_ptr<const HmmSearchRun> run, std::string_view format, bool header,
                                const std::string& file) {
    HmmWriter writer(std::move(run), file);
    if (format == "tblout") {
        writer.table_ = HmmTableKind::kTargets;
    } else if (format == "domtblout") {
        writer.table_ = HmmTableKind::kDomains;
    } else if (format == "pfamtblout") {
        writer.table_ = HmmTableKind::kPfam;
    } else if (const auto alignment = alignment_format_named(format)) {
        writer.alignment_ = alignment;
    } else {
        auto report = make_hmm_report_format(format, header);
        const bool names_fields = format.find(' ') != std::string_view::npos;
        if (!report.ok() && (names_fields || make_hmm_report_format(format, false).ok())) return report.status();
        if (!report.ok())
            return Status::usage(report.status().message() +
                                 ", or tblout, domtblout, pfamtblout, or a format of alignments such as stockholm");
        writer.report_ = *std::move(report);
    }
    WARPSEQ_TRY(writer.check_output(*writer.run_));
    if (writer.table_ && !file.empty()) {
        HmmRun& described = writer.described_;
        described.command_line.insert(described.outputs_at, " --" + std::string(format) + " " + file);
    }
    return writer;
}

void HmmWriter::begin(std::string& out) {
    if (report_) report_->begin(run_->options.run, run_->kind, *run_->databases, out);
}

Status HmmWriter::check_output(const HmmSearchRun& run) { return output_.check(run.options, run.inputs, run_files_of); }

Status HmmWriter::add(const HmmHits& hits, std::string& out) {
    WARPSEQ_TRY(check_output(*hits.run));
    const bool is_first = queries_++ == 0;
    if (report_) report_->use_databases(*hits.run->databases);
    const HmmQuery query = hits.round ? named_by(*hits.own_profile, hits.query) : hits.query;
    if (report_ && hits.round) {
        for (const auto& earlier : hits.earlier_rounds) add_round(*earlier, is_first, out);
        add_round(hits, is_first, out);
        report_->end_rounds(out);
    } else if (report_) {
        report_->append_query(query, hits.report, is_first, out);
    } else if (alignment_) {
        if (const auto alignment = alignment_of(hits)) append_alignment(*alignment, *alignment_, out);
    } else if (*table_ == HmmTableKind::kTargets) {
        append_target_table(query, hits.report, is_first, out);
    } else if (*table_ == HmmTableKind::kDomains) {
        append_domain_table(query, hits.report, is_first, out);
    } else {
        append_pfam_table(hits.report, out);
    }
    return {};
}

void HmmWriter::add_round(const HmmHits& hits, bool is_first, std::string& out) const {
    report_->append_round(*hits.own_profile, hits.query, hits.report, *hits.round, is_first, out);
}

void HmmWriter::end(std::string& out) {
    if (report_) report_->end(queries_, out);
    if (table_) append_table_end(described_, out, *table_);
}

}  // namespace warpseq
