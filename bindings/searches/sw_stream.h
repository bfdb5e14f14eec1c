// Smith-Waterman searches as streams of results.
#pragma once

#include <cstdint>
#include <memory>

#include "bindings/searches/query_text.h"
#include "bindings/searches/result_stream.h"
#include "bindings/searches/sequence_hits.h"
#include "engines/session.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "options/sw/sw_options.h"

namespace warpseq {

/// Starts a search of the session's databases with the sequences of `queries`. `queries_before` is
/// the number of queries that came before these, for the numbers of queries. The observer has to
/// outlive the stream.
Result<std::unique_ptr<ResultStream<SequenceHits>>> start_sw_search(std::shared_ptr<const Session> session,
                                                                    SwOptions options, QueryText queries,
                                                                    std::uint64_t queries_before, Observer& observer);

}  // namespace warpseq
