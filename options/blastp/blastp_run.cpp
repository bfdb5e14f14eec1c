#include "options/blastp/blastp_run.h"

#include <string_view>
#include <utility>

#include "options/search/choice_of_volumes.h"

namespace warpseq {
namespace {

/// The length in residues up to which BLAST's manual recommends the task blastp-short for a query,
/// and that task's word size.
constexpr std::size_t kShortQuery = 30;
constexpr int kShortWord = 2;

}  // namespace

BlastpRun report_run(const BlastpOptions& options, const DatabaseFacts& databases, const BlastpNames& names,
                     const AlignmentStatistics& statistics) {
    return {.databases = databases,
            .names = names,
            .settings = options.settings,
            .statistics = statistics,
            .layout = options.layout,
            .query_begin = options.query_range ? options.query_range->begin : 0,
            .query_residues = options.query_range ? options.query_range->end - options.query_range->begin : 0,
            .target_begin = options.common.target_range ? options.common.target_range->begin : 0};
}

ShownLines lines_chosen_by(std::shared_ptr<const DeflineChoice> lines, const TargetChoice& choice,
                           const DatabaseSet& databases) {
    if (lines == nullptr) return {};
    return [lines = std::move(lines), targets = choice_of_volumes(choice, databases), &databases](
               const BlastpHit& hit, std::string_view header) {
        return lines->chosen_lines(header, targets.taxids_of(databases.reader(hit.database), hit.database));
    };
}

void ShortQueryAdvice::add(std::size_t query_residues, std::size_t hits) {
    if (hits == 0 && query_residues > 0 && query_residues <= kShortQuery) ++without_hits_;
}

std::optional<std::string> ShortQueryAdvice::text(const BlastpSettings& settings) const {
    if (without_hits_ == 0 || settings.word_residues <= kShortWord) return {};
    return std::to_string(without_hits_) + (without_hits_ == 1 ? " query" : " queries") + " of up to " +
           std::to_string(kShortQuery) + " residues had no hits; --task blastp-short is made for such short queries";
}

}  // namespace warpseq
