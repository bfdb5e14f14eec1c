// Restricts targets to sequences that follow each other in their input (TargetRecords).
#pragma once

#include <vector>

#include "formats/wsdb/fasta_target.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Adds all other sequences of the targets to their removed_ranks. The targets are volumes of one
/// input, in its order. Returns an error if no sequence has the name of the first one.
Status keep_records(const TargetRecords& records, std::vector<Target>& targets);

}  // namespace warpseq
