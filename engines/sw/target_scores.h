// Smith-Waterman scores of queries against sequences in memory or against databases, without hits
// and alignments. Every score is there, in the order of the input, and is the raw score that a
// search reports.
#pragma once

#include <cstdint>
#include <span>

#include "engines/query_set.h"
#include "engines/search_control.h"
#include "engines/session.h"
#include "kernels/backend.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Scores queries against sequences in memory on the CPU. scores_raw[q * targets + t] becomes the
/// score of query q against target t, exact in 32 bits. It is 0 if either has no residues.
/// scores_raw.size() has to be queries * targets. The pool's stop ends the work, with
/// Status::interrupted(). Returns an error if a score could leave 31 bits.
Status score_sequences(std::span<const std::span<const ResidueCode>> queries,
                       std::span<const std::span<const ResidueCode>> targets, const ScoringScheme& scheme,
                       CpuBackend backend, const ThreadPool& pool, std::span<std::int32_t> scores_raw);

/// Scores queries against all sequences of a session's databases, on the session's devices.
/// Targets are in the order of the databases and of the input of each, without removed ones
/// (DatabaseSet::number_of()). Targets that the session does not search score 0. scores_raw and
/// errors are as above; errors of the databases and devices are returned, too.
Status score_databases(std::span<const Query> queries, const Session& session, const ScoringScheme& scheme,
                       const SearchControl& control, std::span<std::int32_t> scores_raw);

}  // namespace warpseq
