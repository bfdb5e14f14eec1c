// The hits of Smith-Waterman searches, and the writer of their reports.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bindings/searches/search_inputs.h"
#include "bindings/searches/sequence_hits.h"
#include "engines/query_set.h"
#include "engines/session.h"
#include "engines/sw/reported_hit.h"
#include "engines/targets/database_facts.h"
#include "libcore/statistics/karlin_altschul.h"
#include "options/sw/sw_options.h"
#include "reports/report.h"

namespace warpseq {

/// The part of a Smith-Waterman search that all of its results share.
struct SwSearchRun {
    std::shared_ptr<const Session> session;          // null for hits that were read from a packet
    std::shared_ptr<const DatabaseFacts> databases;  // as reports know them
    SwOptions options;
    SearchInputs inputs;
    std::optional<AlignmentStatistics> statistics;

    RunDescription description() const {
        return {"sw", *databases, options.settings.scheme, statistics, options.settings.composition};
    }
};

/// The hits of one query. Each has one alignment.
class SwHits final : public SequenceHits {
   public:
    SwHits(std::shared_ptr<const SwSearchRun> run, std::uint64_t number, Query query, std::vector<ReportedHit> hits)
        : SequenceHits(number), run_(std::move(run)), query_(std::move(query)), hits_(std::move(hits)) {}

    const SwSearchRun& run() const { return *run_; }
    const Query& query() const { return query_; }
    const std::vector<ReportedHit>& hits() const { return hits_; }

    SearchFacts facts() const override;
    SequenceNames query_names() const override;
    std::uint64_t query_residues() const override { return query_.residues.size(); }
    std::size_t size() const override { return hits_.size(); }
    FoundTarget target(std::size_t hit) const override;
    TaxonNames taxa(std::size_t hit) const override;
    std::size_t hsp_count(std::size_t) const override { return 1; }
    FoundHsp hsp(std::size_t hit, std::size_t index) const override;
    std::optional<double> evalue(std::size_t hit) const override {
        return run_->statistics ? std::optional(hits_[hit].hit.evalue) : std::nullopt;
    }
    std::uint64_t covered_residues(std::size_t hit) const override {
        return hits_[hit].alignment.query_end - hits_[hit].alignment.query_begin;
    }
    Result<std::unique_ptr<SequenceWriter>> writer(const std::optional<std::string>& format, bool header,
                                                   const std::optional<std::filesystem::path>& file) const override;

   private:
    std::shared_ptr<const SwSearchRun> run_;
    Query query_;
    std::vector<ReportedHit> hits_;
};

}  // namespace warpseq
