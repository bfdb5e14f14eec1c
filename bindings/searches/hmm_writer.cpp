#include "bindings/searches/hmm_writer.h"

#include "engines/hmm/hmm_alignment.h"
#include "formats/alignments/alignment_writer.h"

namespace warpseq {

Result<HmmWriter> HmmWriter::of(std::shared_ptr<const HmmSearchRun> run, std::string_view format, bool header) {
    HmmWriter writer(std::move(run));
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
        if (!report.ok())
            return Status::usage(report.status().message() +
                                 ", or tblout, domtblout, pfamtblout, or a format of alignments such as stockholm");
        writer.report_ = *std::move(report);
    }
    return writer;
}

void HmmWriter::begin(std::string& out) {
    if (report_) report_->begin(run_->options.run, run_->kind, run_->session->databases(), out);
}

void HmmWriter::add(const HmmHits& hits, std::string& out) {
    const bool is_first = queries_++ == 0;
    if (report_) {
        report_->append_query(hits.query, hits.report, is_first, out);
    } else if (alignment_) {
        if (hits.hmm == nullptr) return;
        auto alignment = align_domains(*hits.hmm, hits.report);
        if (!alignment) return;
        alignment->author = run_->options.run.program.author;
        append_alignment(*alignment, *alignment_, out);
    } else if (*table_ == HmmTableKind::kTargets) {
        append_target_table(hits.query, hits.report, is_first, out);
    } else if (*table_ == HmmTableKind::kDomains) {
        append_domain_table(hits.query, hits.report, is_first, out);
    } else {
        append_pfam_table(hits.report, out);
    }
}

void HmmWriter::end(std::string& out) {
    if (report_) report_->end(queries_, out);
    if (table_) append_table_end(run_->options.run, out, *table_);
}

}  // namespace warpseq
