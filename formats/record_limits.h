// How large a sequence may be that a reader hands on.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>

#include "libcore/base/status.h"

namespace warpseq {

/// What takes records says how large they may be, so that readers need not hold larger ones.
struct RecordLimits {
    std::uint64_t residues = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t header_bytes = std::numeric_limits<std::uint64_t>::max();
    /// The error for a larger one, which has that many residues and bytes of header; of the header the front is enough. Thread-safe.
    std::function<Status(std::string_view header, std::uint64_t residues, std::uint64_t header_bytes)> refuse = {};
};

}  // namespace warpseq
