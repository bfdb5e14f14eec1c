#include "bindings/searches/sw_hits.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "formats/fasta/fasta.h"
#include "options/arguments.h"
#include "reports/blast/blastp_record.h"
#include "reports/taxon_names.h"

namespace warpseq {
namespace {

RunFiles files_of_run(const SwOptions& options) { return files_of(options.common); }

class SwWriter final : public SequenceWriter {
   public:
    SwWriter(std::shared_ptr<const SwSearchRun> run, std::unique_ptr<ReportWriter> report, OutputCheck output)
        : run_(std::move(run)), report_(std::move(report)), output_(std::move(output)) {}

    void begin() override { report_->begin(run_->description(), text_); }
    Status add(const SequenceHits& any) override {
        const auto* const hits = dynamic_cast<const SwHits*>(&any);
        if (hits == nullptr) return Status::usage("a report has the hits of one search only");
        WARPSEQ_TRY(output_.check(hits->run().options, hits->run().inputs, files_of_run));
        // Hits that were read from packets know facts about their own sequences alone.
        report_->add(hits->run().description(), hits->query(), hits->hits(), text_);
        return {};
    }
    void end() override { report_->end(run_->description(), text_); }

   private:
    std::shared_ptr<const SwSearchRun> run_;
    std::unique_ptr<ReportWriter> report_;
    OutputCheck output_;
};

SequenceNames names_of(std::string_view header) {
    const std::string name = valid_utf8(std::string(identifier_of(header)));
    return {.name = name,
            .accession = name,
            .accession_version = name,
            .description = valid_utf8(std::string(description_of(header)))};
}

}  // namespace

SearchFacts SwHits::facts() const {
    const SwSettings& settings = run_->options.settings;
    const MemberTotals& searched = run_->databases->searched_totals();
    SearchFacts facts{.engine = "sw",
                      .databases = valid_utf8(run_->databases->names()),
                      .matrix = settings.scheme.matrix.name(),
                      .gap_open = settings.scheme.gaps.open,
                      .gap_extend = settings.scheme.gaps.extend,
                      .evalue = settings.evalue,
                      .composition = static_cast<int>(settings.composition),
                      .sequences = searched.sequences,
                      .residues = searched.residues};
    if (run_->statistics) {
        const KarlinAltschulParameters& parameters = run_->statistics->gapped();
        facts.lambda = parameters.lambda;
        facts.k = parameters.k;
        facts.h = parameters.h;
    }
    return facts;
}

SequenceNames SwHits::query_names() const { return names_of(query_.header); }

FoundTarget SwHits::target(std::size_t index) const {
    const ReportedHit& hit = hits_[index];
    const std::string_view header = hit.target_header;
    FoundTarget target{.names = names_of(header),
                       .residues = hit.target_residues,
                       .position = run_->databases->number_of(hit.hit.database, hit.hit.rank)};
    for (std::size_t at = 0; at <= header.size();) {
        const std::size_t end = std::min(header.find('\x01', at), header.size());
        target.all_names.push_back(names_of(header.substr(at, end - at)));
        at = end + 1;
    }
    const std::string taxids =
        taxa_of(*run_->databases, hit.hit.database, hit.hit.rank, header, false, true).all_taxids;
    for (const std::uint64_t taxid : parse_taxids(taxids, ';').value_or(std::vector<std::uint64_t>()))
        if (taxid != 0) target.taxids.push_back(taxid);
    return target;
}

TaxonNames SwHits::taxa(std::size_t index) const {
    const ReportedHit& hit = hits_[index];
    return taxa_of(*run_->databases, hit.hit.database, hit.hit.rank, hit.target_header, true, true);
}

FoundHsp SwHits::hsp(std::size_t index, std::size_t) const {
    const ReportedHit& hit = hits_[index];
    FoundHsp hsp{.alignment = hit.alignment,
                 .query = query_.residues,
                 .aligned_target = hit.aligned_target,
                 .query_residues = query_.residues.size(),
                 .evalue = {},
                 .bits = {},
                 .rule = hit.rule,
                 .matrix = &run_->options.settings.scheme.matrix};
    hsp.alignment.score_raw = hit.hit.score_raw;
    hsp.evalue = evalue(index);
    if (run_->statistics) hsp.bits = run_->statistics->bits(hit.hit.score_raw);
    return hsp;
}

Result<std::unique_ptr<SequenceWriter>> SwHits::writer(const std::optional<std::string>& format, bool header,
                                                       const std::optional<std::filesystem::path>& file) const {
    OutputCheck output(file.value_or(std::filesystem::path()));
    WARPSEQ_TRY(output.check(run_->options, run_->inputs, files_of_run));
    auto report = make_report_writer(format.value_or(run_->options.outfmt), header || run_->options.has_header);
    if (!report.ok()) return report.status();
    return std::unique_ptr<SequenceWriter>(std::make_unique<SwWriter>(run_, *std::move(report), std::move(output)));
}

}  // namespace warpseq
