// Searches by BLAST's heuristics as streams of results.
#pragma once

#include <cstdint>
#include <memory>

#include "bindings/searches/query_text.h"
#include "bindings/searches/result_stream.h"
#include "bindings/searches/sequence_hits.h"
#include "engines/session.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "options/blastp/blastp_options.h"
#include "options/search/defline_choice.h"

namespace warpseq {

/// Starts a search of the session's databases with the sequences of `queries`. `lines` are the
/// definition lines that the session's restriction has chosen, or null. `queries_before` is the
/// number of queries that came before these, for the numbers of queries. For the same results as
/// with one file, these queries must not go on with a group of the ones before
/// (engines/blastp/query_parts.h). The observer has to outlive the stream. It gets the warnings
/// about options, too.
Result<std::unique_ptr<ResultStream<SequenceHits>>> start_blastp_search(std::shared_ptr<const Session> session,
                                                                        BlastpOptions options,
                                                                        std::shared_ptr<const DeflineChoice> lines,
                                                                        QueryText queries, std::uint64_t queries_before,
                                                                        Observer& observer);

}  // namespace warpseq
