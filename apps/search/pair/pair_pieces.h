// `search pair` cut into pieces. Each part, or rank of an MPI job, aligns some ranges of the pairs.
// The process that reports takes the results of all.
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

/// A division's pieces and the inputs of their alignment. All members outlive the work on them.
struct PairPieces {
    Division& division;
    PieceDealer& dealer;
    const PairInput& input;
    const ScoringScheme& scheme;
    const PairSearchSettings& settings;
    std::vector<PairRange> ranges;  // ranges of pairs, by piece
};

/// Aligns the pieces that the division gives to this process, and passes their results on.
Status align_pieces(const PairPieces& pieces, PairSearch& search);

/// Passes all results to `report`, in the order of the pairs. If Division::scans(), this process
/// aligns pieces at the same time. If reporting fails, the function requests a stop of `stop`,
/// which ends the search. Progress goes to `observer`.
Status report_pieces(const PairPieces& pieces, PairSearch& search, std::stop_source& stop, Observer& observer,
                     const std::function<Status(const PairResult&)>& report);

}  // namespace warpseq
