// Hits of searches with sequences as bytes (formats/io/packet.h), for another process or a file.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bindings/searches/sequence_hits.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Returns the hits of either engine as a packet, with what reports and objects show of the query,
/// the run and the databases. Damage of a database's taxonomy is an error.
Result<std::string> to_bytes(const SequenceHits& hits);
/// Reads such a packet. The run of the hits has no session, and of its options only what reports
/// show. Error messages name `origin`.
Result<std::shared_ptr<const SequenceHits>> sequence_hits_from_bytes(std::string_view bytes, std::string_view origin);

}  // namespace warpseq
