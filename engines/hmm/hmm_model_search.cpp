#include "engines/hmm/hmm_model_search.h"

#include <deque>
#include <future>
#include <memory>
#include <utility>

#include "engines/hmm/hmm_sequence_reports.h"
#include "engines/targets/share.h"
#include "formats/fasta/hmmer_fasta.h"
#include "libcore/base/async_in_scope.h"
#include "libcore/base/clock.h"

namespace warpseq {
namespace {

constexpr std::uint64_t kFewResidues = 4'000, kBatchesOfFew = 8;

/// A batch of models on its way through a batch of sequences.
struct ModelsInFlight {
    HmmBatch batch;
    std::vector<Status> lacks;  // by model: the error of thresholds_of()
    std::future<Result<HmmPartial>> partial;
};

Result<std::unique_ptr<ModelsInFlight>> start_scan(HmmEngine& engine, std::vector<HmmSource> models,
                                                   std::uint64_t models_before, const HmmModelSearchSettings& settings,
                                                   const SearchControl& control) {
    auto flight = std::make_unique<ModelsInFlight>();
    std::vector<HmmThresholds> thresholds;
    for (const HmmSource& source : models) {
        auto each = settings.thresholds_of(source.hmm);
        flight->lacks.push_back(each.status());
        thresholds.push_back(each.ok() ? *each : settings.thresholds);
    }
    auto batch = engine.prepare_sources(std::move(models), std::move(thresholds), control.stop);
    if (!batch.ok()) return batch.status();
    flight->batch = *std::move(batch);
    flight->batch.models_before = models_before;
    auto scan = engine.start_scan(flight->batch, whole_share(engine.session().databases()), control);
    // If several batches are in flight, a thread of its own waits for each of them while others are
    // filtered.
    const auto policy =
        engine.batches_in_flight() > 1 ? std::launch::async | std::launch::deferred : std::launch::deferred;
    flight->partial = std::async(policy, [scan = std::move(scan)]() mutable { return scan.get(); });
    return flight;
}

Status add(ModelsInFlight& scanned, HmmSequenceReports& collected) {
    auto partial = scanned.partial.get();
    if (!partial.ok()) return partial.status();
    for (std::size_t p = 0; p < scanned.lacks.size(); ++p) {
        if (partial->counts[p].passed_bias > 0) WARPSEQ_TRY(scanned.lacks[p]);
    }
    return collected.add(scanned.batch, *std::move(partial));
}

}  // namespace

Result<HmmQueryReader> open_models(const HmmModelSearchSettings& settings, const Session& machine,
                                   std::uint64_t sequence_residues) {
    HmmQuerySettings models = settings.models;
    models.sequence_format.kind = SequenceFileKind::kFasta;  // alignments are not taken as profiles
    models.by_forms = true;
    HmmBatchLimits limits = HmmEngine::batch_limits(machine);
    // Batches are larger for few sequences. They leave so little work between the ends of batches
    // that threads would mostly wait there.
    if (machine.gpus().empty() && sequence_residues < kFewResidues) {
        limits.profiles *= kBatchesOfFew;
        limits.nodes *= kBatchesOfFew;
    }
    return HmmQueryReader::open(models, limits, machine.pool());
}

Result<std::vector<HmmReport>> search_for_models(const HmmSequenceBatch& sequences,
                                                 const HmmModelSearchSettings& settings, const SearchControl& control,
                                                 HmmModelSearchFigures& figures) {
    const Session& session = *sequences.session;
    auto models = open_models(settings, session, session.databases().residue_count());
    if (!models.ok()) return models.status();
    const auto engine = HmmEngine::create(session, settings.engine);
    if (!engine.ok()) return engine.status();
    HmmSequenceReports collected(sequences.residues,
                                 {settings.engine.targets_z, settings.engine.domains_z, settings.report_thresholds});
    // The next models are read while the search with those before them runs.
    const auto read = [&] {
        return async_in_scope(std::launch::async | std::launch::deferred, [&] {
            const auto start = Clock::now();
            auto batch = guarded([&] { return models->next_sources(control.stop); });
            return std::pair(std::move(batch), seconds_since(start));
        });
    };
    std::deque<std::unique_ptr<ModelsInFlight>> in_flight;
    figures.models = figures.nodes = 0;
    auto reading = read();
    for (bool more = true; more || !in_flight.empty();) {
        if (more && in_flight.size() < (*engine)->batches_in_flight()) {
            auto [batch, seconds] = reading.get();
            figures.read_seconds += seconds;
            if (!batch.ok()) return batch.status();
            more = !batch->empty();
            if (!more) continue;
            reading = read();
            const std::uint64_t count = batch->size();
            auto started = start_scan(**engine, *std::move(batch), figures.models, settings, control);
            if (!started.ok()) return started.status();
            figures.models += count;
            figures.nodes += (*started)->batch.nodes();
            in_flight.push_back(*std::move(started));
            continue;
        }
        WARPSEQ_TRY(add(*in_flight.front(), collected));
        in_flight.pop_front();
    }
    WARPSEQ_TRY(models->check());
    figures.warnings = models->warnings();
    figures.times += (*engine)->times();
    if (const auto counts = (*engine)->gpu_counts()) figures.gpu_counts = counts;
    const ThreadPool pool = session.pool().with_stop(control.stop);
    auto reports = collected.finish(pool);
    if (!reports.ok()) return reports.status();
    WARPSEQ_TRY(pool.parallel_for(reports->size(), [&](std::uint64_t s, unsigned) {
        for (HmmHit& hit : (*reports)[s].hits) {
            for (HmmDomain& domain : hit.domains)
                show_unscored(sequences.titles[s].unscored, static_cast<std::uint64_t>(domain.alignment_from - 1),
                              domain.aligned_residues);
        }
    }));
    return reports;
}

}  // namespace warpseq
