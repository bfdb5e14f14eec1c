// What a command line says of each database that it names, for each database of a search: a set is
// one database for each of its volumes.
#pragma once

#include "apps/search/driver/target_choice.h"
#include "engines/targets/database_set.h"

namespace warpseq {

/// The choice with `repeated` and `taxids_of_databases` by the databases of the set instead of by
/// names. Where taxonomy IDs were said to be known, databases that came from BLAST's know by
/// themselves whether definition lines end with them.
TargetChoice choice_of_volumes(const TargetChoice& choice, const DatabaseSet& databases);

}  // namespace warpseq
