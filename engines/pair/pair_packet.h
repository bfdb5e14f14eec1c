// Packets of the results of consecutive pairs (formats/io/packet.h), for the process that reports
// them.
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

/// Returns the results of a range's pairs, in order, as a packet. It leaves out each result's place
/// in the input and the query's reverse complement.
std::string to_bytes(const std::vector<PairResult>& results);

/// Reads a packet and gives each result, complete, to `report`. Gives none unless a search for this
/// range may find all of them. Otherwise the packet is invalid input, and the error names `origin`.
/// An error of `report` ends it. Scores of alignments are added up again.
Status read_pair_results(std::string_view bytes, const PairInput& input, const ScoringScheme& scheme,
                         const PairSearchSettings& settings, const PairRange& range, std::string_view origin,
                         const std::function<Status(const PairResult&)>& report);

}  // namespace warpseq
