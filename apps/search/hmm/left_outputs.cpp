#include "apps/search/hmm/left_outputs.h"

#include <string>
#include <utility>
#include <vector>

#include "apps/search/hmm/hmm_figures.h"
#include "engines/hmm/hmm_query_reader.h"
#include "formats/fasta/hmmer_fasta.h"
#include "libcore/base/thread_pool.h"
#include "reports/hmmer/hmm_outputs.h"
#include "reports/hmmer/hmm_text_report.h"

namespace warpseq {

bool is_parse_failure(const Status& error) { return error.message().starts_with(kHmmerParseFailure); }

Result<std::optional<ProfileHmm>> leave_beginning(const HmmOptions& options, std::string_view behind_query) {
    const ThreadPool alone(1);
    HmmQuerySettings settings = query_settings_of(options, options.common.query_file);
    settings.sequence_format = options.query_format;
    auto queries = HmmQueryReader::open(settings, {.profiles = 1}, alone);
    if (!queries.ok()) return queries.status();
    auto first = queries->next_batch();
    const HmmQueryKind kind = queries->kind();
    // HMMER begins a report about profiles when it has read the first one.
    if (!first.ok() && kind == HmmQueryKind::kProfile) return first.status();
    auto outputs = HmmOutputs::open(options.run, options.files);
    if (!outputs.ok()) return outputs.status();
    outputs->begin(kind, DatabaseSet());
    std::optional<ProfileHmm> query;
    if (first.ok() && !first->empty()) query = std::move(first->front());
    std::string lines;
    if (query) {
        append_query_lines(kind, HmmQuery(*query), lines);
        lines += behind_query;
    }
    WARPSEQ_TRY(outputs->leave(lines));
    if (!first.ok()) return first.status();
    return query;
}

}  // namespace warpseq
