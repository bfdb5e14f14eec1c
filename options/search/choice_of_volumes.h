// Converts a restriction of targets from the databases that a command line names to the databases
// of a search. They differ if the command line names a set (formats/wsdb/wsdb_set.h), since each of
// its volumes is a database of the search.
#pragma once

#include "engines/targets/database_set.h"
#include "options/search/target_choice.h"

namespace warpseq {

/// Returns the choice with `repeated` and `taxids_of_databases` indexed by the databases of the
/// search instead of by names. For databases that came from BLAST's, `are_in_lines` then tells
/// whether their own definition lines end with taxonomy IDs.
TargetChoice choice_of_volumes(const TargetChoice& choice, const DatabaseSet& databases);

}  // namespace warpseq
