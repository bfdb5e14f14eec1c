// Profile searches as streams of results: with profiles, with sequences from which profiles are
// built, in rounds, and for models in sequences.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/searches/query_text.h"
#include "bindings/searches/result_stream.h"
#include "bindings/searches/search_inputs.h"
#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_rounds.h"
#include "engines/session.h"
#include "engines/targets/database_facts.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "libcore/profile/profile_hmm.h"
#include "options/hmm/hmm_options.h"
#include "options/jackhmmer/jackhmmer_options.h"
#include "reports/hmmer/hmm_query.h"

namespace warpseq {

/// The part of a profile search that all of its results share.
struct HmmSearchRun {
    std::shared_ptr<const Session> session;          // null for hits that were read from a packet
    std::shared_ptr<const DatabaseFacts> databases;  // as reports know them
    HmmOptions options;
    HmmQueryKind kind = HmmQueryKind::kProfile;
    SearchInputs inputs = {};
};

/// The hits of one query of a profile search, or of one of its rounds.
struct HmmHits {
    std::shared_ptr<const HmmSearchRun> run;
    HmmQuery query;                         // in a search in rounds: the round's model
    std::shared_ptr<const ProfileHmm> hmm;  // that the hits are aligned with; null if models are the targets
    HmmReport report;
    // Only in a search in rounds: the query's own profile, what is known of this round, and the
    // rounds before.
    std::shared_ptr<const ProfileHmm> own_profile = {};
    std::optional<HmmRoundFacts> round = {};
    std::vector<std::shared_ptr<const HmmHits>> earlier_rounds = {};
};

using HmmStream = ResultStream<HmmHits>;

/// A running search. The run describes it even if no query has a result.
struct StartedHmmSearch {
    std::shared_ptr<const HmmSearchRun> run;
    std::unique_ptr<HmmStream> stream;
};

// Each of the functions below starts a search with the queries in `queries`, whatever file the
// options name. The observer has to outlive the stream. A seed of 0 has to be drawn before.

/// Starts a search of the session's databases. The kind of the queries decides between profiles and
/// sequences. Queries of another kind than options.only_kind are invalid input.
Result<StartedHmmSearch> start_hmm_search(std::shared_ptr<const Session> session, HmmOptions options, QueryText queries,
                                          Observer& observer);

/// Starts a search of the session's databases in rounds. The result of a query is its last round.
Result<StartedHmmSearch> start_jackhmmer_search(std::shared_ptr<const Session> session, JackhmmerOptions options,
                                                QueryText queries, Observer& observer);

/// Starts a search for the models of the options' database in sequences. The session gives devices
/// and threads.
Result<StartedHmmSearch> start_hmmscan_search(std::shared_ptr<const Session> session, HmmOptions options,
                                              QueryText queries, Observer& observer);

}  // namespace warpseq
