// The hits of blastp searches, and the writer of their reports.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bindings/searches/search_inputs.h"
#include "bindings/searches/sequence_hits.h"
#include "engines/blastp/blastp_engine.h"
#include "engines/blastp/blastp_query.h"
#include "engines/session.h"
#include "engines/targets/database_facts.h"
#include "libcore/scoring/scoring.h"
#include "libcore/statistics/karlin_altschul.h"
#include "options/blastp/blastp_options.h"
#include "options/blastp/blastp_run.h"
#include "reports/blast/blastp_report.h"

namespace warpseq {

/// The part of a blastp search that all of its results share.
struct BlastpSearchRun {
    std::shared_ptr<const Session> session;          // null for hits that were read from a packet
    std::shared_ptr<const DatabaseFacts> databases;  // as reports know them
    BlastpOptions options;
    SearchInputs inputs;
    BlastpNames names;
    AlignmentStatistics statistics;
    SubstitutionMatrix positives;  // for positives, as tables have them

    /// Returns the description of the run for reports, with names that may know more than those of
    /// the run.
    BlastpRun description(const BlastpNames& report_names) const {
        return report_run(options, *databases, report_names, statistics);
    }
};

/// The hits of one query.
class BlastpHits final : public SequenceHits {
   public:
    /// `result` has headers as prepare_headers() makes them.
    BlastpHits(std::shared_ptr<const BlastpSearchRun> run, std::uint64_t number, std::uint64_t whole_residues,
               BlastpQuery query, BlastpQueryResult result)
        : SequenceHits(number),
          run_(std::move(run)),
          whole_residues_(whole_residues),
          query_(std::move(query)),
          result_(std::move(result)) {}

    const BlastpSearchRun& run() const { return *run_; }
    /// Returns the result for reports. It refers to this object.
    BlastpResult result() const;

    SearchFacts facts() const override;
    SequenceNames query_names() const override;
    std::uint64_t query_residues() const override { return query_.residues.size(); }
    std::size_t size() const override { return result_.hits.size(); }
    FoundTarget target(std::size_t hit) const override;
    TaxonNames taxa(std::size_t hit) const override;
    std::size_t hsp_count(std::size_t hit) const override { return result_.hits[hit].hsps.size(); }
    FoundHsp hsp(std::size_t hit, std::size_t index) const override;
    std::optional<double> evalue(std::size_t hit) const override { return result_.hits[hit].evalue; }
    std::uint64_t covered_residues(std::size_t hit) const override;
    Result<std::unique_ptr<SequenceWriter>> writer(const std::optional<std::string>& format, bool header,
                                                   const std::optional<std::filesystem::path>& file) const override;

   private:
    std::shared_ptr<const BlastpSearchRun> run_;
    std::uint64_t whole_residues_;
    BlastpQuery query_;
    BlastpQueryResult result_;
};

}  // namespace warpseq
