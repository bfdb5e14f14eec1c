#include "bindings/searches/blastp_hits.h"

#include <cstddef>
#include <utility>

#include "formats/fasta/fasta.h"
#include "reports/blast/blastp_order.h"
#include "reports/blast/blastp_record.h"
#include "reports/blast/searched_databases.h"

namespace warpseq {
namespace {

/// Refuses a report that would replace an input of this search, by its own file or another one.
Status check(OutputCheck& output, const BlastpSearchRun& run, const BlastpReport& report) {
    return output.check(run.options, run.inputs, [&](const BlastpOptions& options) {
        RunFiles files = files_of(options.common);
        report.add_outputs(files);
        return files;
    });
}

class BlastpWriter final : public SequenceWriter {
   public:
    BlastpWriter(std::shared_ptr<const BlastpSearchRun> run, BlastpNames names, std::unique_ptr<BlastpReport> report,
                 OutputCheck output)
        : run_(std::move(run)), names_(std::move(names)), report_(std::move(report)), output_(std::move(output)) {}

    void begin() override { report_->begin(run_->description(names_), text_); }
    Status add(const SequenceHits& any) override {
        const auto* const hits = dynamic_cast<const BlastpHits*>(&any);
        if (hits == nullptr) return Status::usage("a report has the hits of one search only");
        WARPSEQ_TRY(check(output_, hits->run(), *report_));
        // Hits that were read from packets know facts about their own sequences alone.
        if (&hits->run() == run_.get()) return report_->add(run_->description(names_), hits->result(), text_);
        BlastpNames names = hits->run().names;
        if (report_->names_taxa()) WARPSEQ_TRY(find_taxa(*hits->run().databases, true, names));
        return report_->add(hits->run().description(names), hits->result(), text_);
    }
    void end() override { report_->end(run_->description(names_), text_); }

   private:
    std::shared_ptr<const BlastpSearchRun> run_;
    BlastpNames names_;
    std::unique_ptr<BlastpReport> report_;
    OutputCheck output_;
};

/// Returns the description of a target or query with this title. Titles without parsed identifiers
/// begin with the name.
std::string description_in(std::string_view title, bool has_name) {
    return valid_utf8(std::string(has_name ? description_of(title) : title));
}

}  // namespace

BlastpResult BlastpHits::result() const {
    return {.query = query_,
            .number = number(),
            .whole_residues = whole_residues_,
            .effective_search_space = result_.effective_search_space,
            .length_adjustment = result_.length_adjustment,
            .hits = result_.hits,
            .headers = result_.headers};
}

SearchFacts BlastpHits::facts() const {
    const BlastpRun run = run_->description(run_->names);
    const RunRecord about = describe_run(run);
    const QueryRecord query = describe_query(run, result());
    SearchFacts facts{.engine = "blastp",
                      .databases = about.databases,
                      .reference = about.reference,
                      .matrix = about.matrix,
                      .gap_open = about.gap_open,
                      .gap_extend = about.gap_extend,
                      .evalue = about.evalue,
                      .filter = about.filter,
                      .composition = about.composition_mode,
                      .sequences = about.database_sequences,
                      .residues = about.database_residues,
                      .search_space = query.effective_search_space,
                      .length_adjustment = query.length_adjustment};
    if (query_.ungapped) {
        facts.lambda = query.lambda;
        facts.k = query.k;
        facts.h = query.h;
    }
    facts.message = query.message;
    return facts;
}

SequenceNames BlastpHits::query_names() const {
    const QueryNames names = name_query(run_->names, query_.header, number());
    return {.name = valid_utf8(names.table_id),
            .accession = valid_utf8(names.bare_accession),
            .accession_version = valid_utf8(names.accession),
            .description = valid_utf8(std::string(description_of(query_.header))),
            .gi = names.gi == "0" ? "" : names.gi};
}

FoundTarget BlastpHits::target(std::size_t index) const {
    const BlastpHit& hit = result_.hits[index];
    const TargetNames names = name_target(run_->names, hit, result_.headers[index]);
    const BlastDefline& best = names.lines[names.best];
    const bool has_ids = !best.full_id.empty();
    FoundTarget target{.names = {.name = valid_utf8(names.id),
                                 .accession = valid_utf8(names.bare_accession),
                                 .accession_version = valid_utf8(names.accession),
                                 .description = description_in(has_ids ? best.title : names.title, !has_ids),
                                 .gi = best.gi},
                       .residues = run_->databases->whole_residues(hit.database, hit.rank),
                       .position = hit.position};
    if (!has_ids) {
        target.all_names.push_back(target.names);
    } else {
        for (const BlastDefline& line : names.lines)
            target.all_names.push_back({.name = valid_utf8(line.full_id),
                                        .accession = valid_utf8(std::string(line.accession_without_version())),
                                        .accession_version = valid_utf8(line.accession),
                                        .description = description_in(line.title, false),
                                        .gi = line.gi});
    }
    for (const std::uint64_t taxid : names.taxids)
        if (taxid != 0) target.taxids.push_back(taxid);
    return target;
}

TaxonNames BlastpHits::taxa(std::size_t index) const {
    const BlastpHit& hit = result_.hits[index];
    const TargetNames names = name_target(run_->names, hit, result_.headers[index]);
    const auto tree = run_->databases->taxonomy(hit.database);
    return name_taxa(tree.ok() ? tree->get() : nullptr, names.taxid, names.taxids, true);
}

std::uint64_t BlastpHits::covered_residues(std::size_t hit) const {
    return warpseq::covered_residues(result_.hits[hit].hsps);
}

FoundHsp BlastpHits::hsp(std::size_t hit, std::size_t index) const {
    const Hsp& hsp = result_.hits[hit].hsps[index];
    return {.alignment = {hsp.score_raw, hsp.query_begin, hsp.query_end, hsp.target_begin, hsp.target_end, hsp.runs},
            .query = query_.residues,
            .aligned_target = result_.hits[hit].aligned_targets[index],
            .query_residues = query_.residues.size(),
            .evalue = hsp.evalue,
            .bits = statistics_of(query_, run_->statistics).bits(hsp.score_raw),
            .rule = hsp.rule,
            .matrix = &run_->positives};
}

Result<std::unique_ptr<SequenceWriter>> BlastpHits::writer(const std::optional<std::string>& format, bool header,
                                                           const std::optional<std::filesystem::path>& file) const {
    std::string outfmt = run_->options.outfmt;
    if (format) {
        auto read = read_blastp_outfmt(*format);
        if (!read.ok()) return read.status();
        if (!read->unknown_columns.empty()) return Status::usage("unknown column '" + read->unknown_columns[0] + "'");
        outfmt = std::move(read->text);
    }
    auto report = make_blastp_report(outfmt, file, ExistingFile::kReplace, header || run_->options.has_header);
    if (!report.ok()) return report.status();
    OutputCheck output(file.value_or(std::filesystem::path()));
    WARPSEQ_TRY(check(output, *run_, **report));
    BlastpNames names = run_->names;
    if ((*report)->names_taxa()) WARPSEQ_TRY(find_taxa(*run_->databases, true, names));
    return std::unique_ptr<SequenceWriter>(
        std::make_unique<BlastpWriter>(run_, std::move(names), *std::move(report), std::move(output)));
}

}  // namespace warpseq
