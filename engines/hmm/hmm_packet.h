// Partials of profile searches as packets (formats/io/packet.h), and back. What is none of this
// batch and these databases is refused; messages name `origin`.
#pragma once

#include <string>
#include <string_view>

#include "engines/hmm/hmm_batch.h"
#include "engines/hmm/hmm_partial.h"
#include "engines/targets/database_set.h"
#include "libcore/base/status.h"

namespace warpseq {

std::string to_bytes(const HmmPartial& partial);
Result<HmmPartial> hmm_partial_from_bytes(std::string_view bytes, const HmmBatch& batch, const DatabaseSet& databases,
                                          std::string_view origin);

}  // namespace warpseq
