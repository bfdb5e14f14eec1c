// Joins hits with a sequence that several databases have under the same identifier.
#pragma once

#include <string>
#include <vector>

#include "engines/blastp/blastp_search.h"
#include "engines/targets/database_set.h"
#include "reports/blast/blastp_report.h"

namespace warpseq {

/// Joins neighbouring hits with sequences of the same length and identifier that are in different
/// databases. As in blastp, they become one hit with the HSPs of all of them. It has the names that
/// the first of the databases has. `headers` are those of the hits' sequences.
void join_targets(const BlastpNames& names, const DatabaseSet& databases, std::vector<BlastpHit>& hits,
                  std::vector<std::string>& headers);

}  // namespace warpseq
