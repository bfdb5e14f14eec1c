// Searches with profiles, and with sequences from which profiles are built, as streams of results.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bindings/searches/query_text.h"
#include "bindings/searches/result_stream.h"
#include "engines/hmm/hmm_hit.h"
#include "engines/session.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "libcore/profile/profile_hmm.h"
#include "options/hmm/hmm_options.h"
#include "reports/hmmer/hmm_query.h"

namespace warpseq {

/// What all results of one profile search share.
struct HmmSearchRun {
    std::shared_ptr<const Session> session;
    HmmOptions options;
    HmmQueryKind kind = HmmQueryKind::kProfile;
};

/// The hits of one query of a profile search.
struct HmmHits {
    std::shared_ptr<const HmmSearchRun> run;
    std::uint64_t number = 0;  // of the query, from 0
    HmmQuery query;
    std::shared_ptr<const ProfileHmm> hmm;  // that the hits are aligned with; null if models are the targets
    HmmReport report;
};

using HmmStream = ResultStream<HmmHits>;

/// Starts a search of the session's databases, with the queries in `options.common.query_file`. The
/// kind of the queries decides between profiles and sequences, unless options.only_kind asks for
/// one. `queries` is the source of that file. The observer has to outlive the stream.
Result<std::unique_ptr<HmmStream>> start_hmm_search(std::shared_ptr<const Session> session, HmmOptions options,
                                                    QueryText queries, Observer& observer);

}  // namespace warpseq
