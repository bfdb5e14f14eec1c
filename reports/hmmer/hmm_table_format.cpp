// Writes --outfmt 6, 7 and 10: a line for each reported domain.
#include <algorithm>
#include <cstdint>
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

int percent(std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return 0;
    return static_cast<int>(0.5 + 100 * static_cast<double>(part) / static_cast<double>(whole));
}

/// The ranges of a domain in the query and in the target.
struct Sides {
    struct Range {
        std::uint64_t from, to;
    };
    Range query, target;
    Sides(const HmmDomain& domain, HmmQueryKind kind)
        : query{static_cast<std::uint64_t>(domain.node_from), static_cast<std::uint64_t>(domain.node_to)},
          target{static_cast<std::uint64_t>(domain.alignment_from), static_cast<std::uint64_t>(domain.alignment_to)} {
        if (kind == HmmQueryKind::kScanned) std::swap(query, target);
    }
};

/// Returns the share of the query that all reported domains together cover.
int coverage_percent(const HmmHit& hit, HmmQueryKind kind, std::uint64_t query_length) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    for (const HmmDomain& domain : hit.domains) {
        const auto [from, to] = Sides(domain, kind).query;
        if (domain.reported) ranges.emplace_back(from, to);
    }
    std::ranges::sort(ranges);
    std::uint64_t covered = 0, end = 0;  // the last position that is counted
    for (const auto& [from, to] : ranges) {
        if (to <= end) continue;
        covered += to - std::max(end, from - 1);
        end = to;
    }
    return percent(covered, query_length);
}

class TableFormat final : public HmmReportFormat {
   public:
    TableFormat(std::vector<const Field*> fields, TableLayout layout) : table_(std::move(fields), std::move(layout)) {}

    void begin(const HmmRun& run, HmmQueryKind kind, const DatabaseFacts& databases, std::string& out) override {
        kind_ = kind;
        databases_ = &databases;
        program_name_ = run.program.name;
        database_names_ = kind == HmmQueryKind::kScanned ? run.database_names : databases.names();
        table_.append_header(out);
    }

    void use_databases(const DatabaseFacts& databases) override { databases_ = &databases; }

    void append_query(const HmmQuery& query, const HmmReport& report, bool, std::string& out) const override {
        const std::string header = header_of(query.name, query.description);
        if (table_.has_comments()) {
            std::size_t rows = 0;
            for (const HmmHit& hit : report.hits) rows += static_cast<std::size_t>(hit.reported_domains);
            append_query_comments(program_name_, header, database_names_, table_, rows, out);
        }
        Row row;
        row.query_header = header;
        row.query_residues = query.length;
        for (const HmmHit& hit : report.hits) {
            if (hit.reported) append_target(query, report, hit, row, out);
        }
    }

    void end(std::uint64_t queries, std::string& out) override {
        if (table_.has_comments()) append_end_comment(queries, out);
    }

   private:
    void append_target(const HmmQuery& query, const HmmReport& report, const HmmHit& hit, Row& row,
                       std::string& out) const {
        const std::string target = header_of(hit.target_name, hit.target_description);
        row.target_header = target;
        row.target_residues = query.target_length(hit);
        if (table_.needs(kNeedsTaxids) && kind_ != HmmQueryKind::kScanned)
            row.taxa = taxa_of(*databases_, hit.database, hit.rank, target, table_.needs(kNeedsTaxa),
                               table_.needs(kNeedsAllTaxids));
        row.target_coverage_percent = coverage_percent(hit, kind_, query.length);
        row.domain.query_accession = query.model_of(hit).accession;
        row.domain.target_evalue = evalue(report, hit);
        row.domain.target_bits = static_cast<double>(hit.score_bits);
        row.domain.target_bias_bits = bias_bits(hit);
        row.domain.number = 0;
        row.domain.count = hit.reported_domains;
        for (const HmmDomain& domain : hit.domains) {
            if (!domain.reported) continue;
            row.evalue = independent_evalue(report, domain);
            row.bits = static_cast<double>(domain.score_bits);
            const Sides sides(domain, kind_);
            row.query_start = sides.query.from;
            row.query_end = sides.query.to;
            row.target_start = sides.target.from;
            row.target_end = sides.target.to;
            row.hsp_coverage_percent = percent(sides.query.to - sides.query.from + 1, query.length);
            ++row.domain.number;
            row.domain.conditional_evalue = conditional_evalue(report, domain);
            row.domain.bias_bits = bias_bits(domain);
            row.domain.envelope_from = domain.envelope_from;
            row.domain.envelope_to = domain.envelope_to;
            row.domain.accuracy = mean_accuracy(domain);
            if (table_.needs(kNeedsAlignment)) {
                HmmAlignedDomain aligned = align_to_consensus(query.model_of(hit), domain);
                if (kind_ == HmmQueryKind::kScanned) aligned = exchanged(std::move(aligned));
                row.counts = aligned.counts;
                row.text = std::move(aligned.text);
                if (table_.needs(kNeedsCigar)) row.cigar = cigar(aligned.alignment);
            }
            table_.append_row(row, out);
        }
    }

    FieldTable table_;
    std::string program_name_, database_names_;
    const DatabaseFacts* databases_ = nullptr;  // after begin()
    HmmQueryKind kind_ = HmmQueryKind::kProfile;
};

}  // namespace

Result<std::unique_ptr<HmmReportFormat>> make_hmm_table_format(std::string_view names, TableLayout layout) {
    auto fields = parse_hmm_fields(names);
    if (!fields.ok()) return fields.status();
    return std::unique_ptr<HmmReportFormat>(std::make_unique<TableFormat>(*std::move(fields), std::move(layout)));
}

}  // namespace warpseq
