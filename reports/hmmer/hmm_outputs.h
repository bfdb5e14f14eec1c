// HmmOutputs: all outputs of a profile search, which are the report and the requested tables and
// alignments. Files appear when the search is done, and are complete. Text for standard output is
// held back up to a limit (ReportText), so that an error meanwhile leaves no partial report.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

/// The outputs of a profile search.
class HmmOutputs {
   public:
    /// Opens all files, so that a file that cannot be written is found before the search. `run`
    /// must outlive the outputs.
    static Result<HmmOutputs> open(const HmmRun& run, const HmmOutputFiles& files,
                                   std::unique_ptr<HmmReportFormat> format = make_hmm_text_format());
    /// Returns outputs that format text but write nothing. They are for a process that sends its
    /// texts to another process. That process has opened `files` and writes the texts.
    static HmmOutputs elsewhere(const HmmRun& run, const HmmOutputFiles& files,
                                std::unique_ptr<HmmReportFormat> format) {
        return HmmOutputs(run, files, std::move(format));
    }
    /// Skips the report if it goes to /dev/null. Only for a process that writes all of its texts
    /// itself.
    void leave_out_unread_report();
    /// Keeps alignments as rows until they are written, piece by piece. Only for a process that
    /// writes all of its texts itself.
    void keep_alignments_as_rows() { keeps_rows_ = true; }
    /// Whether some output shows hits. If not, the outputs show alignments alone.
    bool shows_hits() const { return report_is_read_ || files_.targets || files_.domains || files_.pfam; }
    /// Begins the report. Called when the kind of the queries is known. The outputs must not move
    /// after this call.
    void begin(HmmQueryKind kind, const DatabaseFacts& databases);

    /// The texts that one query adds to the outputs.
    struct Text {
        std::string report, alignment, targets, domains, pfam;
        std::optional<MultipleAlignment> rows = {};  // set instead of `alignment`; is not sent to other processes
    };
    /// Returns the texts of a query. `report` has been finished (finish_report). `odds` has been
    /// made of `hmm`. `first` is true for the first query of the run. Thread-safe.
    Text format(const ProfileHmm& hmm, const ForwardProfile& odds, const HmmReport& report, bool first) const;
    /// Returns the texts of a sequence in which models were sought. Its hits are not aligned with
    /// each other, so there is no alignment. Thread-safe.
    Text format(const HmmQuery& query, const HmmReport& report, bool first) const;
    /// Appends the texts of a round to `text`, except the alignment of the last round. `query` is
    /// the query's own profile. Thread-safe.
    void format_round(const ProfileHmm& query, const HmmRound& round, bool first, Text& text) const;
    /// Writes the texts of the next query, in the order of the query file. Only for outputs from
    /// open().
    Status append(Text text);
    /// Does the same, and writes the alignment of the query's last round piece by piece.
    Status append(Text text, const MultipleAlignment& alignment);

    /// Ends all files, which makes them appear. Only for outputs from open().
    Status finish();
    /// Ends all files as they are after an error. `last_lines` are the last ones of the report.
    /// Only for outputs from open().
    Status leave(std::string_view last_lines);

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
    HmmOutputFiles files_;  // files of the requested outputs
    std::unique_ptr<HmmReportFormat> format_;
    bool report_is_read_ = true;
    bool keeps_rows_ = false;
    std::uint64_t queries_ = 0;
    std::optional<ReportText> report_, alignment_, targets_, domains_, pfam_;  // set for outputs that are open
};

}  // namespace warpseq
