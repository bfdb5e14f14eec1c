// A profile search in rounds, as jackhmmer's. The first round searches with the profile of a single
// sequence. Each later round searches with a profile that is built from an alignment of the domains
// that the round before has included.
//
// A round is one search of the databases (hmm_engine.h). Its report comes from finish_report() and
// goes through three steps.
//
//   1 If `most_targets` is set, only the first `most_targets` hits stay. Counts, Z and domZ stay
//     those of all hits.
//   2 A hit is new if it is included and the round before had no included target of its name. It is
//     lost if it is not included and the round before had an included target of its name.
//   3 The included domains are aligned, in the report's order, behind the query. The query has a
//     residue in every node's column. So all profiles of a query have as many nodes as it has
//     residues.
//
// The query has converged if no hit is new and the alignment has no more rows than that of the
// round before. (Before the first round, the alignment is the query alone.) Otherwise the next
// round's profile is built from the alignment, which is named QUERY-iROUND. The nodes of that
// profile are the query's columns, and it is calibrated again.
//
// The queries of a batch go through a round together, because a search reads the databases once for
// all of them.
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
    CalibrationSettings calibration = {};  // for the profiles from the second round on
    ProfileBuildSettings build = {};       // for the same profiles; their columns are always the query's
    std::string author = {};               // of alignments
    /// Whether the caller needs the alignment of a query's last round.
    bool wants_last_alignment = true;
    /// Whether reports show domZ, or anything besides the inclusion of domains that depends on it.
    /// If not, or if domZ is given, targets that cannot be among the `most_targets` best need not
    /// be scored. Reports may then lack such targets even before step 1.
    bool shows_domains_z = true;
};

/// The facts about a round that are not in its profile or its report.
struct HmmRoundFacts {
    std::uint64_t number = 0;  // from 1
    std::uint64_t alignment_rows = 0;
    // The numbers of alignment rows and of included targets from which the round's profile was
    // built. For the first profile, of the query alone, they are 1 and 0.
    std::uint64_t rows_before = 1, targets_before = 0;
    std::uint64_t new_targets = 0;
    bool converged = false, is_last = false;
};

/// One round of one query. References are valid during the call that receives it.
struct HmmRound {
    std::size_t query;  // in its batch
    HmmRoundFacts facts;
    const ProfileHmm& hmm;
    const ForwardProfile& odds;  // of `hmm`
    HmmReport& report;           // which the receiver may move out
    /// The alignment of this round, with facts.alignment_rows rows. Empty if the caller does not
    /// need it. The receiver may move the alignment of the last round out.
    MultipleAlignment& alignment;
    /// The threads for work on this round: the session's threads, or a single one if many rounds
    /// are passed at the same time.
    const ThreadPool& pool;
};

/// The state that passes from a round to the next one.
struct HmmRoundMemory {
    std::vector<std::string> included;  // names of targets, sorted, each once
    std::uint64_t rows = 1;             // of the alignment
};

/// Does steps 1 and 2: shortens the report, marks its hits as new or lost, and stores the included
/// targets in `memory`. Returns the number of new hits.
std::uint64_t compare_rounds(HmmReport& report, std::optional<std::uint64_t> most_targets, HmmRoundMemory& memory);

/// Does step 3 for a round of a query. Letters are in upper case, and every gap is '-'.
MultipleAlignment align_round(const ProfileHmm& query, std::uint64_t round, const ProfileHmm& hmm,
                              const HmmReport& report, const ThreadPool& pool);

/// Returns the number of rows of that alignment without making it.
std::uint64_t rows_of_round(const HmmReport& report);

/// Times of rounds without their searches (HmmTimes), in seconds, summed over queries.
struct HmmRoundTimes {
    double align_seconds = 0, build_seconds = 0, calibrate_seconds = 0, take_seconds = 0;

    HmmRoundTimes& operator+=(const HmmRoundTimes& other);
};

/// Searches with profiles of single sequences, which HmmQueryReader makes, until each query has
/// converged or has had most_rounds rounds. Calls `take` for each round of a query, in order. Calls
/// for different queries may come at the same time, from any thread. Ends with the first error of
/// `take`, or with an error if no profile can be built from an alignment. A stop request ends it
/// with Status::interrupted().
Result<HmmRoundTimes> search_in_rounds(HmmEngine& engine, const Session& session, std::vector<ProfileHmm> queries,
                                       const HmmRoundsSettings& settings, const SearchControl& control,
                                       const std::function<Status(const HmmRound& round)>& take);

}  // namespace warpseq
