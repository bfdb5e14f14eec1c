#include "engines/hmm/hmm_sequence_reports.h"

#include <memory>
#include <utility>

#include "engines/hmm/hmm_model.h"
#include "engines/hmm/hmm_thresholds.h"

namespace warpseq {

HmmSequenceReports::HmmSequenceReports(std::vector<std::uint64_t> residues, Settings settings)
    : residues_(std::move(residues)),
      settings_(std::move(settings)),
      counts_(residues_.size()),
      hits_(residues_.size()) {}

Status HmmSequenceReports::add(const HmmBatch& batch, HmmPartial partial) {
    if (partial.hits.size() != batch.size() || partial.sequence_counts.size() != residues_.size() ||
        batch.models_before != models_)
        return Status::invalid_input("a partial of another batch");
    for (std::size_t p = 0; p < batch.size(); ++p) {
        std::vector<HmmHit>& found = partial.hits[p];
        if (found.empty()) continue;
        const auto hmm = batch.pipelines[p]->whole_hmm();
        if (!hmm.ok()) return hmm.status();
        const auto model =
            std::make_shared<const HmmModel>(**hmm, batch.pipelines[p]->forward_profile(), batch.thresholds[p]);
        for (HmmHit& hit : found) {
            std::vector<HmmHit>& of_sequence = hits_[hit.input_position];
            hit.model = model;
            hit.target_name = model->name;
            hit.target_accession = model->accession;
            hit.target_description = model->description;
            hit.input_position = *batch.models_before + p;  // position of the target among all models
            of_sequence.push_back(std::move(hit));
        }
    }
    add_counts(counts_, partial.sequence_counts);
    models_ += batch.size();
    nodes_ += batch.nodes();
    return {};
}

Result<std::vector<HmmReport>> HmmSequenceReports::finish(const ThreadPool& pool) {
    std::vector<HmmReport> reports(residues_.size());
    WARPSEQ_TRY(pool.parallel_for(reports.size(), [&](std::uint64_t s, unsigned) {
        HmmReport& report = reports[s];
        report.hits = std::move(hits_[s]);
        report.thresholds = settings_.thresholds;
        report.models_are_targets = true;
        report.z_given = settings_.targets_z.has_value();
        report.targets_z = settings_.targets_z.value_or(0);
        report.domain_z_given = settings_.domains_z.has_value();
        report.domains_z = settings_.domains_z.value_or(0);
        report.counts = counts_[s];
        report.counts.models = models_;
        report.counts.nodes = nodes_;
        report.counts.targets = 1;
        report.counts.residues = residues_[s];
        finish_report(report);
    }));
    return reports;
}

}  // namespace warpseq
