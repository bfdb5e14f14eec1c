// Results of consecutive pairs as bytes (formats/io/packet.h), for whoever reports them.
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

/// Results of a range's pairs, in order. Of each its place in the input and the query's reverse
/// complement are left out.
std::string to_bytes(const std::vector<PairResult>& results);

/// Reads them again, and gives each, complete, to `report`: none unless all are what a search for
/// this range may find. What is not is invalid input that names `origin`; errors of `report` end
/// it. Scores of alignments are added up again.
Status read_pair_results(std::string_view bytes, const PairInput& input, const ScoringScheme& scheme,
                         const PairSearchSettings& settings, const PairRange& range, std::string_view origin,
                         const std::function<Status(const PairResult&)>& report);

}  // namespace warpseq
