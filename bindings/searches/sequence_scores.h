// Smith-Waterman scores of sequences in memory, with the scores of `search sw` and without hits.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bindings/searches/session_options.h"
#include "engines/search_control.h"
#include "engines/session.h"
#include "libcore/base/status.h"
#include "libcore/scoring/scoring.h"

namespace warpseq {

/// Returns the scores that options of `search sw` state: matrix, gap-open and gap-extend.
Result<ScoringScheme> read_sw_scores(const std::vector<NamedValue>& options);

/// Scores queries against targets, which are letters in memory
/// (bindings/searches/sequence_letters.h). scores_raw[q * targets + t] becomes the score of query
/// q against target t. `machine` says what computes: by default the CPU, or GPUs where they are
/// quicker, with their start. Gaps that were removed are noted by the observer. Errors are those
/// of the letters, of engines/sw/target_scores.h and of the devices.
Status score_letters(std::span<const std::string_view> queries, std::span<const std::string_view> targets,
                     const ScoringScheme& scheme, const SessionSettings& machine, const SearchControl& control,
                     std::span<std::int32_t> scores_raw);

/// Scores queries against all sequences of a session's databases, in their order. The rest is as
/// above.
Status score_letters(std::span<const std::string_view> queries, const Session& session, const ScoringScheme& scheme,
                     const SearchControl& control, std::span<std::int32_t> scores_raw);

}  // namespace warpseq
