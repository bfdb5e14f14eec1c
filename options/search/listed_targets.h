// Sequences that a list names, found by the databases' indexes of names. This is faster than
// reading all headers.
#pragma once

#include <vector>

#include "engines/targets/database_set.h"
#include "engines/targets/target_members.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "options/search/defline_choice.h"
#include "options/search/target_choice.h"

namespace warpseq {

/// Removes from `members` the sequences that a list of sequences does not choose. Called only if no
/// taxa restrict the search.
///
/// Returns false, and removes nothing, if the caller has to read all headers instead. That is so if
/// the list has more than one name for eight sequences, and if some name is in none of the indexes.
/// Names are looked up as they are written, in capitals, and in small letters. Reading the headers
/// also finds names in another mixture of capitals, and names that are in no index.
Result<bool> keep_listed(const DatabaseSet& databases, const TargetChoice& choice, const DeflineChoice& lines,
                         const ThreadPool& pool, std::vector<TargetMembers>& members);

}  // namespace warpseq
