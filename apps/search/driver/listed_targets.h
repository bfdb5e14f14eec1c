// Sequences that a list names, found by the databases' indexes of names. This is faster than
// reading all headers.
#pragma once

#include <vector>

#include "apps/search/driver/defline_choice.h"
#include "apps/search/driver/target_choice.h"
#include "engines/targets/database_set.h"
#include "engines/targets/target_members.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// Removes from `members` the sequences that a list of sequences does not choose; no taxa may
/// restrict the search. Returns false, and removes nothing, if the indexes do not tell: the list is
/// long compared with the databases, or some name is in none of the indexes. An index has names as
/// they are written. Reading the headers also finds names that differ in capitals or are in no
/// index.
Result<bool> keep_listed(const DatabaseSet& databases, const TargetChoice& choice, const DeflineChoice& lines,
                         const ThreadPool& pool, std::vector<TargetMembers>& members);

}  // namespace warpseq
