// --outfmt 6 and 7: a line for each reported domain, columns separated by tabs.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engines/hmm/hmm_thresholds.h"
#include "reports/fields.h"
#include "reports/hmmer/hmm_aligned_domain.h"
#include "reports/hmmer/hmm_report_format.h"
#include "reports/table_comments.h"

namespace warpseq {
namespace {

std::string header_of(const std::string& name, const std::string& description) {
    return description.empty() ? name : name + " " + description;
}

int percent(std::size_t part, int whole) {
    return static_cast<int>(0.5 + 100 * static_cast<double>(part) / static_cast<double>(whole));
}

/// Of the profile by the nodes of all reported domains together.
int coverage_percent(const HmmHit& hit, int nodes) {
    std::vector<bool> covered(static_cast<std::size_t>(nodes), false);
    for (const HmmDomain& domain : hit.domains) {
        if (domain.reported) std::fill(covered.begin() + domain.node_from - 1, covered.begin() + domain.node_to, true);
    }
    return percent(static_cast<std::size_t>(std::count(covered.begin(), covered.end(), true)), nodes);
}

class TableFormat final : public HmmReportFormat {
   public:
    TableFormat(std::vector<const Field*> fields, bool comments)
        : table_(std::move(fields), "\t"), comments_(comments) {}

    void begin(const HmmRun&, HmmQueryKind, const DatabaseSet& databases, std::string&) override {
        database_names_ = databases.names();
    }

    void append_query(const ProfileHmm& hmm, const ForwardProfile& odds, const HmmReport& report, bool,
                      std::string& out) const override {
        const std::string query = header_of(hmm.name, hmm.description);
        if (comments_) {
            std::size_t rows = 0;
            for (const HmmHit& hit : report.hits) rows += static_cast<std::size_t>(hit.reported_domains);
            append_query_comments("hmm", query, database_names_, table_, rows, out);
        }
        Row row;
        row.query_header = query;
        row.query_residues = static_cast<std::uint64_t>(hmm.length);
        row.domain.query_accession = hmm.accession;
        for (const HmmHit& hit : report.hits) {
            if (hit.reported) append_target(hmm, odds, report, hit, row, out);
        }
    }

    void end(std::uint64_t queries, std::string& out) override {
        if (comments_) append_end_comment(queries, out);
    }

   private:
    void append_target(const ProfileHmm& hmm, const ForwardProfile& odds, const HmmReport& report, const HmmHit& hit,
                       Row& row, std::string& out) const {
        const std::string target = header_of(hit.target_name, hit.target_description);
        row.target_header = target;
        row.target_residues = hit.target_residues;
        row.target_coverage_percent = coverage_percent(hit, hmm.length);
        row.domain.target_evalue = evalue(report, hit);
        row.domain.target_bits = static_cast<double>(hit.score_bits);
        row.domain.target_bias_bits = bias_bits(hit);
        row.domain.number = 0;
        row.domain.count = hit.reported_domains;
        for (const HmmDomain& domain : hit.domains) {
            if (!domain.reported) continue;
            row.evalue = independent_evalue(report, domain);
            row.bits = static_cast<double>(domain.score_bits);
            row.query_start = static_cast<std::uint64_t>(domain.node_from);
            row.query_end = static_cast<std::uint64_t>(domain.node_to);
            row.target_start = static_cast<std::uint64_t>(domain.alignment_from);
            row.target_end = static_cast<std::uint64_t>(domain.alignment_to);
            row.hsp_coverage_percent =
                percent(static_cast<std::size_t>(domain.node_to - domain.node_from + 1), hmm.length);
            ++row.domain.number;
            row.domain.conditional_evalue = conditional_evalue(report, domain);
            row.domain.bias_bits = bias_bits(domain);
            row.domain.envelope_from = domain.envelope_from;
            row.domain.envelope_to = domain.envelope_to;
            row.domain.accuracy = mean_accuracy(domain);
            if (table_.needs(kNeedsAlignment)) {
                HmmAlignedDomain aligned = align_to_consensus(hmm, odds, domain);
                row.counts = aligned.counts;
                row.text = std::move(aligned.text);
                if (table_.needs(kNeedsCigar)) row.cigar = cigar(aligned.alignment);
            }
            table_.append_row(row, out);
        }
    }

    FieldTable table_;
    bool comments_;
    std::string database_names_;
};

}  // namespace

Result<std::unique_ptr<HmmReportFormat>> make_hmm_table_format(std::string_view names, bool comments) {
    auto fields = parse_hmm_fields(names);
    if (!fields.ok()) return fields.status();
    return std::unique_ptr<HmmReportFormat>(std::make_unique<TableFormat>(*std::move(fields), comments));
}

}  // namespace warpseq
