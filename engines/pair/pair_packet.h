// Packets (formats/io/packet.h) of the results of consecutive pairs, which are sent to the process
// that reports them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/pair/pair_input.h"
#include "engines/pair/pair_ranges.h"
#include "engines/pair/pair_result.h"
#include "engines/pair/pair_search.h"
#include "libcore/base/status.h"
#include "libcore/scoring/scoring.h"

namespace warpseq {

/// Returns a packet of the results of a range's pairs, in order. The packet leaves out the indices
/// of query and target and the query's reverse complement, which the reader can find itself.
std::string to_bytes(const std::vector<PairResult>& results);

/// Reads a packet and passes each result, made complete, to `report`. First checks that a search
/// for this range could have found all results. If not, it returns kInvalidInput with an error that
/// names `origin`, and calls `report` for none of them. The check computes the scores of alignments
/// again. Ends with the first error of `report`.
Status read_pair_results(std::string_view bytes, const PairInput& input, const ScoringScheme& scheme,
                         const PairSearchSettings& settings, const PairRange& range, std::string_view origin,
                         const std::function<Status(const PairResult&)>& report);

}  // namespace warpseq
