// Sequences that a list names, found by the databases' indexes of names instead of by reading all
// headers.
#pragma once

#include <vector>

#include "apps/search/driver/defline_choice.h"
#include "apps/search/driver/target_choice.h"
#include "engines/targets/database_set.h"
#include "engines/targets/target_members.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// Takes out of `members` what a list of sequences, and no taxon, does not choose. False, and
/// nothing is taken out, where the indexes do not tell: the list is long against the databases, or
/// a name is in none of them. An index has names as they are written; who reads headers finds those
/// that differ in capitals, or that an index does not have.
Result<bool> keep_listed(const DatabaseSet& databases, const TargetChoice& choice, const DeflineChoice& lines,
                         const ThreadPool& pool, std::vector<TargetMembers>& members);

}  // namespace warpseq
