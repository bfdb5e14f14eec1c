// Writes --outfmt 5: XML of NCBI's document type NCBI_BlastOutput, with the lines of blastp.
#include <algorithm>

#include "reports/blast/blastp_record.h"
#include "reports/blast/blastp_report.h"
#include "reports/xml_writer.h"

namespace warpseq {
namespace {

constexpr std::string_view kProlog =
    "<?xml version=\"1.0\"?>\n<!DOCTYPE BlastOutput PUBLIC \"-//NCBI//NCBI BlastOutput/EN\" "
    "\"http://www.ncbi.nlm.nih.gov/dtd/NCBI_BlastOutput.dtd\">\n";

std::string_view shown_title(const std::string& title) {
    return title.empty() ? "No definition line" : std::string_view(title);
}

/// The XML report. Iterations and hits begin in the first column, at any depth.
class BlastpXmlReport final : public BlastpReport {
   public:
    void begin(const BlastpRun&, std::string&) override {}

    Status add(const BlastpRun& run, const BlastpResult& result, std::string& out) override {
        const RunRecord about_run = describe_run(run);
        const QueryRecord query = describe_query(run, result);
        if (++iterations_ == 1) add_header(about_run, query, out);
        XmlWriter xml(out);
        xml.open("Iteration");
        xml.element("Iteration_iter-num", iterations_);
        xml.element("Iteration_query-ID", query.id);
        xml.element("Iteration_query-def", shown_title(query.title));
        xml.element("Iteration_query-len", query.residues);
        out += "<Iteration_hits>\n";
        for (std::size_t h = 0; h < result.hits.size(); ++h) add_hit(describe_hit(run, result, h), h + 1, out);
        out += "</Iteration_hits>\n";
        xml.open("Iteration_stat");
        xml.open("Statistics");
        xml.element("Statistics_db-num", about_run.database_sequences);
        xml.element("Statistics_db-len", about_run.database_residues);
        xml.element("Statistics_hsp-len", query.length_adjustment);
        xml.element("Statistics_eff-space", static_cast<double>(query.effective_search_space));
        xml.element("Statistics_kappa", query.k);
        xml.element("Statistics_lambda", query.lambda);
        xml.element("Statistics_entropy", query.h);
        xml.close();
        xml.close();
        if (!query.message.empty()) xml.element("Iteration_message", query.message);
        xml.close();
        return {};
    }

    void end(const BlastpRun&, std::string& out) override { out += "</BlastOutput_iterations>\n</BlastOutput>\n\n"; }

   private:
    /// Appends the beginning of the document, which names its first query.
    static void add_header(const RunRecord& run, const QueryRecord& query, std::string& out) {
        out += kProlog;
        XmlWriter xml(out);
        xml.open("BlastOutput");
        xml.element("BlastOutput_program", "blastp");
        xml.element("BlastOutput_version", run.version);
        xml.element("BlastOutput_reference", run.reference);
        xml.element("BlastOutput_db", run.are_subjects ? std::string() : run.databases);
        xml.element("BlastOutput_query-ID", query.id);
        xml.element("BlastOutput_query-def", shown_title(query.title));
        xml.element("BlastOutput_query-len", query.residues);
        xml.open("BlastOutput_param");
        xml.open("Parameters");
        xml.element("Parameters_matrix", run.matrix);
        xml.element("Parameters_expect", run.evalue);
        xml.element("Parameters_gap-open", run.gap_open);
        xml.element("Parameters_gap-extend", run.gap_extend);
        xml.element("Parameters_filter", run.filter);
        xml.close();
        xml.close();
        out += "<BlastOutput_iterations>\n";
    }

    static void add_hit(const HitRecord& hit, std::size_t number, std::string& out) {
        XmlWriter xml(out);
        xml.open("Hit");
        xml.element("Hit_num", number);
        xml.element("Hit_id", hit.id);
        xml.element("Hit_def", shown_title(hit.title));
        xml.element("Hit_accession", hit.accession);
        xml.element("Hit_len", hit.residues);
        xml.open("Hit_hsps");
        for (std::size_t i = 0; i < hit.hsps.size(); ++i) add_hsp(hit.hsps[i], i + 1, xml);
        xml.close();
        xml.close();
    }

    static void add_hsp(const HspRecord& hsp, std::size_t number, XmlWriter& xml) {
        // Here masked residues are X.
        std::string query = hsp.text.query;
        std::ranges::replace_if(
            query, [](char letter) { return letter >= 'a' && letter <= 'z'; }, 'X');
        xml.open("Hsp");
        xml.element("Hsp_num", number);
        xml.element("Hsp_bit-score", hsp.bits);
        xml.element("Hsp_score", hsp.score_raw);
        xml.element("Hsp_evalue", hsp.evalue);
        xml.element("Hsp_query-from", hsp.query_from);
        xml.element("Hsp_query-to", hsp.query_to);
        xml.element("Hsp_hit-from", hsp.target_from);
        xml.element("Hsp_hit-to", hsp.target_to);
        xml.element("Hsp_query-frame", 0);
        xml.element("Hsp_hit-frame", 0);
        xml.element("Hsp_identity", hsp.counts.identities);
        xml.element("Hsp_positive", hsp.counts.positives);
        xml.element("Hsp_gaps", hsp.counts.gap_columns);
        xml.element("Hsp_align-len", hsp.counts.columns);
        xml.element("Hsp_qseq", query);
        xml.element("Hsp_hseq", hsp.text.target);
        xml.element("Hsp_midline", hsp.text.middle);
        xml.close();
    }

    std::uint64_t iterations_ = 0;
};

}  // namespace

std::unique_ptr<BlastpReport> make_blastp_xml_report() { return std::make_unique<BlastpXmlReport>(); }

}  // namespace warpseq
