// Writes the results of profile searches in every format of `search hmm` and its relatives, with
// the same bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bindings/searches/hmm_stream.h"
#include "bindings/searches/search_inputs.h"
#include "libcore/base/status.h"
#include "libcore/sequence/multiple_alignment.h"
#include "reports/hmmer/hmm_report_format.h"
#include "reports/hmmer/hmm_tables.h"

namespace warpseq {

/// Returns the alignment of the included domains, or nothing if there are none. In a search in
/// rounds, the query is the first row. Hits of hmmscan have no common profile, and so no alignment.
std::optional<MultipleAlignment> alignment_of(const HmmHits& hits);

/// A writer of one format. begin() is called first, then add() for each query, then end().
class HmmWriter {
   public:
    /// Returns the writer of a format: that of --outfmt, or "tblout", "domtblout", "pfamtblout", or
    /// a format of alignments such as "stockholm" (formats/alignments/alignment_format.h), which
    /// shows the included domains. Any other text is a usage error that lists the formats. `header`
    /// is that of make_hmm_report_format(). A table names its file among its options; `file` is
    /// empty if it has none.
    static Result<HmmWriter> of(std::shared_ptr<const HmmSearchRun> run, std::string_view format, bool header,
                                const std::string& file = "");

    /// Each call appends to `out`. add() returns a usage error if the file is an input of the
    /// search that the hits come from.
    void begin(std::string& out);
    Status add(const HmmHits& hits, std::string& out);
    void end(std::string& out);

   private:
    void add_round(const HmmHits& hits, bool is_first, std::string& out) const;

    HmmWriter(std::shared_ptr<const HmmSearchRun> run, const std::string& file)
        : run_(std::move(run)), described_(run_->options.run), output_(file) {}
    Status check_output(const HmmSearchRun& run);

    std::shared_ptr<const HmmSearchRun> run_;
    HmmRun described_;                          // the run as this output describes it
    std::unique_ptr<HmmReportFormat> report_;   // or
    std::optional<HmmTableKind> table_;         // or
    std::optional<AlignmentFormat> alignment_;  // one of the three is set
    OutputCheck output_;
    std::uint64_t queries_ = 0;
};

}  // namespace warpseq
