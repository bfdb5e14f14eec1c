// Hits of profile searches as bytes (formats/io/packet.h), for another process or a file.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bindings/searches/hmm_stream.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Returns the hits as a packet, with the rounds before them, and with the facts about the run and
/// the databases that outputs show. Damage of a database's taxonomy is an error.
Result<std::string> to_bytes(const HmmHits& hits);
/// Reads such a packet. The run of the hits has no session, and of its options only what outputs
/// show. Error messages name `origin`.
Result<std::shared_ptr<const HmmHits>> hmm_hits_from_bytes(std::string_view bytes, std::string_view origin);

}  // namespace warpseq
