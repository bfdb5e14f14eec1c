// Everything that a profile search writes: the report, and the tables and alignments that were
// asked for. Files appear whole when the search is done; text for standard output is held back as
// long as it is not too much, so that an error on the way leaves no partial report.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_rounds.h"
#include "libcore/base/status.h"
#include "libcore/profile/plan7_profile.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/sequence/multiple_alignment.h"
#include "reports/hmmer/hmm_query.h"
#include "reports/hmmer/hmm_report_format.h"
#include "reports/hmmer/hmm_run.h"
#include "reports/report_text.h"

namespace warpseq {

class HmmOutputs {
   public:
    /// Opens all files, so that one that cannot be written is known before the search. `run` has to
    /// outlive the outputs.
    static Result<HmmOutputs> open(const HmmRun& run, const HmmOutputFiles& files,
                                   std::unique_ptr<HmmReportFormat> format = make_hmm_text_format());
    /// Those of a process that only formats for another one, which has opened `files`.
    static HmmOutputs elsewhere(const HmmRun& run, const HmmOutputFiles& files,
                                std::unique_ptr<HmmReportFormat> format) {
        return HmmOutputs(run, files, std::move(format));
    }
    /// The report need not be made where it goes to /dev/null. For a process whose texts nobody
    /// else writes.
    void leave_out_unread_report();
    /// Alignments stay rows until they are written, piece by piece. Likewise.
    void keep_alignments_as_rows() { keeps_rows_ = true; }
    /// Whether hits are shown, and not alignments alone.
    bool shows_hits() const { return report_is_read_ || files_.targets || files_.domains || files_.pfam; }
    /// Begins the report, once it is known what the queries are. From then on the outputs stay
    /// where they are.
    void begin(HmmQueryKind kind, const DatabaseSet& databases);

    /// What one query adds to each output.
    struct Text {
        std::string report, alignment, targets, domains, pfam;
        std::optional<MultipleAlignment> rows = {};  // instead of `alignment`; does not travel
    };
    /// The query's report has been finished (finish_report); `odds` are those of `hmm`; `first` is
    /// for the first query of all. Thread-safe.
    Text format(const ProfileHmm& hmm, const ForwardProfile& odds, const HmmReport& report, bool first) const;
    /// The same of a sequence that models were sought in, of whose hits there is no alignment with
    /// each other.
    Text format(const HmmQuery& query, const HmmReport& report, bool first) const;
    /// What a round of a query adds, whose own profile `query` is; but for the last one's
    /// alignment. Likewise.
    void format_round(const ProfileHmm& query, const HmmRound& round, bool first, Text& text) const;
    /// The next query, in the order of the query file; where the outputs have been opened.
    Status append(Text text);
    /// The same, and the alignment of a query's last round, piece by piece.
    Status append(Text text, const MultipleAlignment& alignment);

    /// Ends all files and makes them appear; likewise.
    Status finish();

   private:
    HmmOutputs(const HmmRun& run, const HmmOutputFiles& files, std::unique_ptr<HmmReportFormat> format)
        : run_(&run), files_(files), format_(std::move(format)) {}
    AlignmentFormat alignment_format() const;
    void append_alignment_remark(std::uint64_t rows, Text& text) const;
    Status write_rows(const MultipleAlignment& alignment);
    void format_alignment(const ProfileHmm& hmm, const HmmReport& report, Text& text) const;
    template <typename Action>
    Status for_each(Action action);

    const HmmRun* run_;
    HmmOutputFiles files_;  // that are asked for
    std::unique_ptr<HmmReportFormat> format_;
    bool report_is_read_ = true;
    bool keeps_rows_ = false;
    std::uint64_t queries_ = 0;
    std::optional<ReportText> report_, alignment_, targets_, domains_, pfam_;  // as far as they have been opened
};

}  // namespace warpseq
