// Packets of the partials of profile searches (formats/io/packet.h).
#pragma once

#include <string>
#include <string_view>

#include "engines/hmm/hmm_batch.h"
#include "engines/hmm/hmm_partial.h"
#include "engines/targets/database_set.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Returns the partial as a packet.
std::string to_bytes(const HmmPartial& partial);
/// Reads such a packet. Returns an error if it is not a partial of this batch and these databases.
/// Error messages name `origin`.
Result<HmmPartial> hmm_partial_from_bytes(std::string_view bytes, const HmmBatch& batch, const DatabaseSet& databases,
                                          std::string_view origin);

}  // namespace warpseq
