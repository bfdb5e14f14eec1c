#include "engines/hmm/hmm_search.h"

#include <string_view>
#include <utility>

#include "engines/hmm/hmm_cpu_filter.h"
#include "engines/hmm/hmm_thresholds.h"
#include "engines/targets/chunk.h"
#include "engines/targets/chunk_reader.h"
#include "engines/targets/headers.h"
#include "formats/fasta/fasta.h"
#include "formats/fasta/hmmer_fasta.h"
#include "libcore/base/clock.h"

namespace warpseq {

HmmSearch::HmmSearch(const DatabaseSet& databases, const HmmSearchSettings& settings, const ThreadPool& pool)
    : databases_(databases), settings_(settings), pool_(pool), finisher_(databases, settings_.targets_z, pool) {}

Result<HmmBatch> HmmSearch::prepare(std::vector<ProfileHmm> profiles, std::vector<HmmThresholds> thresholds,
                                    const std::stop_token& stop) {
    const auto start = Clock::now();
    auto batch = prepare_batch(std::move(profiles), std::move(thresholds), settings_.pipeline, pool_.with_stop(stop));
    add({.prepare_seconds = seconds_since(start)});
    return batch;
}

Result<HmmBatch> HmmSearch::prepare_sources(std::vector<HmmSource> sources, std::vector<HmmThresholds> thresholds,
                                            const std::stop_token& stop) {
    const auto start = Clock::now();
    auto batch =
        warpseq::prepare_sources(std::move(sources), std::move(thresholds), settings_.pipeline, pool_.with_stop(stop));
    add({.prepare_seconds = seconds_since(start)});
    return batch;
}

Result<HmmPartial> HmmSearch::scan(const HmmBatch& batch, const TargetShare& share, Progress& progress,
                                   const std::stop_token& stop) {
    HmmScan scan(batch, databases_, pool_, progress, stop);
    if (batch.size() == 0) return std::move(scan.partial);
    auto start = Clock::now();
    auto filter = HmmCpuFilter::create(scan, databases_, settings_.pipeline);
    if (!filter.ok()) return filter.status();
    scan.times.prepare_seconds += seconds_since(start);
    ChunkReader chunk_reader;
    HmmCandidates candidates;
    for (const ChunkGroup& chunks : group_chunks(databases_, settings_.chunk_bytes, share)) {
        start = Clock::now();
        WARPSEQ_TRY(chunk_reader.read_searched(databases_, chunks, scan.pool));
        const std::vector<TileView>& tiles = chunk_reader.tiles();
        scan.times.read_seconds += seconds_since(start);
        start = Clock::now();
        WARPSEQ_TRY(filter->filter(chunks, tiles, candidates));
        scan.times.msv_seconds += seconds_since(start);
        const TargetsInTiles targets(tiles);
        scan.cells_at_once = chunks.residues * batch.nodes();
        WARPSEQ_TRY(finisher_.filter_by_viterbi(scan, targets, candidates));
        WARPSEQ_TRY(finisher_.find_hits(scan, targets, candidates));
    }
    scan.times.msv_cells += filter->cells();
    scan.times.msv_undecided_cells += filter->undecided_cells();
    scan.partial.sort();
    add(scan.times);
    return std::move(scan.partial);
}

Result<HmmPartial> HmmSearch::scan(const HmmBatch& batch, HmmFiltered filtered, const std::stop_token& stop) {
    Progress nobody;
    HmmScan scan(batch, databases_, pool_, nobody, stop);
    WARPSEQ_TRY(finisher_.finish(scan, std::move(filtered)));
    scan.partial.sort();
    add(scan.times);
    return std::move(scan.partial);
}

Result<std::vector<HmmReport>> HmmSearch::finish(const HmmBatch& batch, HmmPartial partial,
                                                 const std::stop_token& stop) {
    if (partial.hits.size() != batch.size()) return Status::invalid_input("a partial of another batch");
    if (batch.most_targets && !partial.unscored.empty()) {
        Progress nobody;
        HmmScan scan(batch, databases_, pool_, nobody, stop);
        scan.partial = std::move(partial);
        WARPSEQ_TRY(finisher_.score_best(scan, settings_.domains_z));
        add(scan.times);
        partial = std::move(scan.partial);
    }
    const auto start = Clock::now();
    const ThreadPool pool = pool_.with_stop(stop);
    std::vector<HmmHit*> hits;
    std::vector<SequencePlace> places;
    for (std::vector<HmmHit>& of_profile : partial.hits) {
        for (HmmHit& hit : of_profile) {
            hits.push_back(&hit);
            places.push_back({hit.database, hit.rank});
        }
    }
    WARPSEQ_TRY(for_each_header(databases_, places, pool, [&](std::size_t h, std::string_view header) {
        HmmHit& hit = *hits[h];
        if (!settings_.names_as_hmmer && !has_title(header)) {
            hit.target_name = identifier_of(header);
            hit.target_description = hmmer_description(header);
            return;
        }
        HmmerTitle title = hmmer_title(header);
        hit.target_name = std::move(title.name);
        hit.target_accession = std::move(title.accession);
        hit.target_description = std::move(title.description);
        const std::string_view unscored = unscored_note(header);
        if (unscored.empty()) return;
        for (HmmDomain& domain : hit.domains)
            show_unscored(unscored, static_cast<std::uint64_t>(domain.alignment_from - 1), domain.aligned_residues);
    }));
    std::vector<HmmReport> reports(batch.size());
    WARPSEQ_TRY(pool.parallel_for(batch.size(), [&](std::uint64_t p, unsigned) {
        HmmReport& report = reports[p];
        report.hits = std::move(partial.hits[p]);
        report.thresholds = batch.thresholds[p];
        report.z_given = settings_.targets_z.has_value();
        report.targets_z = settings_.targets_z.value_or(0);
        report.domain_z_given = settings_.domains_z.has_value();
        report.domains_z = settings_.domains_z.value_or(0);
        report.counts = partial.counts[p];
        set_totals(report.counts, batch.profiles[p], databases_);
        finish_report(report);
    }));
    add({.name_seconds = seconds_since(start)});
    return reports;
}

HmmTimes HmmSearch::times() const {
    const std::lock_guard lock(mutex_);
    return times_;
}

void HmmSearch::add(const HmmTimes& times) {
    const std::lock_guard lock(mutex_);
    times_ += times;
}

}  // namespace warpseq
