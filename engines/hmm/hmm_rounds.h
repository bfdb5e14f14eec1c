// A profile search in rounds, as jackhmmer does it: a sequence's own profile first, then, round by
// round, the profile of the alignment of all that the round before has included.
//
// A round is one search of the databases (hmm_engine.h). Of its report, as finish_report() leaves
// it,
//
//   1 only the first `most_targets` hits stay, where that is set; counts, Z and domZ stay those of
//   all; 2 a hit is new when it is included and the round before had no included target of its
//   name, and lost the other way round; 3 the included domains are aligned, in the report's order,
//   behind the query, which has a residue in every node's column: so all
//     profiles of a query have as many nodes as it has residues.
//
// The query has converged where nothing is new and the alignment has no more rows than the one
// before; in the first round that is the query alone. Else its alignment, named QUERY-iROUND,
// becomes the next round's profile: its columns are the query's, calibrated afresh.
//
// Queries of a batch go through a round together, since a search reads the databases once for all
// of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engines/hmm/calibration.h"
#include "engines/hmm/hmm_engine.h"
#include "engines/hmm/hmm_hit.h"
#include "engines/search_control.h"
#include "engines/session.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "libcore/profile/plan7_profile.h"
#include "libcore/profile/profile_builder.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/sequence/multiple_alignment.h"

namespace warpseq {

struct HmmRoundsSettings {
    std::uint64_t most_rounds = 5;              // at least 1
    std::optional<std::uint64_t> most_targets;  // of a round
    HmmThresholds thresholds = {.include_evalue = 0.001, .include_domain_evalue = 0.001};
    CalibrationSettings calibration = {};  // of profiles from the second round on
    ProfileBuildSettings build = {};       // likewise, but for the columns, which are the query's
    std::string author = {};               // of alignments
    /// Whether anybody reads the alignment of a query's last round.
    bool wants_last_alignment = true;
    /// Whether domZ, or what it decides of domains beyond their inclusion, is shown. Else, or where
    /// domZ is given, targets that cannot be among the `most_targets` best need not be scored, and
    /// reports lack some of them before step 1.
    bool shows_domains_z = true;
};

/// One round of one query. References live as long as the call that is told of it.
struct HmmRound {
    std::size_t query;     // in its batch
    std::uint64_t number;  // from 1
    const ProfileHmm& hmm;
    const ForwardProfile& odds;  // of that
    const HmmReport& report;
    /// Of this round; empty where nobody wants it. It has as many rows as `alignment_rows` says.
    /// That of the last round may be moved out of it.
    MultipleAlignment& alignment;
    std::uint64_t alignment_rows;
    // What the profile has been made of: rows, and targets that were included; of the first one the
    // query alone, 1 and 0.
    std::uint64_t rows_before, targets_before;
    std::uint64_t new_targets;
    bool converged, is_last;
    /// For what is done for this round: the session's threads, or the caller's alone where many
    /// rounds are told at once.
    const ThreadPool& pool;
};

/// What a round leaves to the next one.
struct HmmRoundMemory {
    std::vector<std::string> included;  // names of targets, sorted, each once
    std::uint64_t rows = 1;             // of the alignment
};

/// Steps 1 and 2: shortens the report, marks its hits, and puts the included ones into `memory`.
/// Returns how many are new.
std::uint64_t compare_rounds(HmmReport& report, std::optional<std::uint64_t> most_targets, HmmRoundMemory& memory);

/// Step 3, of a round of a query. In upper case, with '-' for every gap.
MultipleAlignment align_round(const ProfileHmm& query, std::uint64_t round, const ProfileHmm& hmm,
                              const HmmReport& report, const ThreadPool& pool);

/// Rows of that.
std::uint64_t rows_of_round(const HmmReport& report);

/// Where the time of rounds went besides their searches (HmmTimes): seconds, summed over queries.
struct HmmRoundTimes {
    double align_seconds = 0, build_seconds = 0, calibrate_seconds = 0, take_seconds = 0;

    HmmRoundTimes& operator+=(const HmmRoundTimes& other);
};

/// Searches with profiles of sequences (HmmQueryReader makes them) until each has converged or had
/// its rounds. `take` is told of each query's rounds, one after the other; of several queries at
/// the same time, from any thread. Its error ends the search. So does an alignment that no profile
/// can be made of, and a stop: Status::interrupted().
Result<HmmRoundTimes> search_in_rounds(HmmEngine& engine, const Session& session, std::vector<ProfileHmm> queries,
                                       const HmmRoundsSettings& settings, const SearchControl& control,
                                       const std::function<Status(const HmmRound& round)>& take);

}  // namespace warpseq
