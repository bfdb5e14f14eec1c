// `search pair` cut into pieces: parts, and ranks of an MPI job, align some ranges of the pairs
// each, and whoever reports takes the results of all.
#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "apps/search/driver/division.h"
#include "engines/pair/pair_input.h"
#include "engines/pair/pair_ranges.h"
#include "engines/pair/pair_result.h"
#include "engines/pair/pair_search.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "libcore/scoring/scoring.h"

namespace warpseq {

/// All of it outlives what is done with it.
struct PairPieces {
    Division& division;
    PieceDealer& dealer;
    const PairInput& input;
    const ScoringScheme& scheme;
    const PairSearchSettings& settings;
    std::vector<PairRange> ranges;  // of all pieces
};

/// Aligns the pieces that the division gives to this process, and passes their results on.
Status align_pieces(const PairPieces& pieces, PairSearch& search);

/// Gives all results to `report`, in the order of the pairs, while this process aligns pieces
/// itself, if the division says so. Requests a stop of `stop`, which ends the search, where
/// reporting fails. Shows progress.
Status report_pieces(const PairPieces& pieces, PairSearch& search, std::stop_source& stop, Observer& observer,
                     const std::function<Status(const PairResult&)>& report);

}  // namespace warpseq
