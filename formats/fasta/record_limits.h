// The limits on the size of a sequence that a reader hands on.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>

#include "libcore/base/status.h"

namespace warpseq {

/// The largest records that their consumer accepts. Readers know these limits, so that they need
/// not hold larger records.
struct RecordLimits {
    std::uint64_t residues = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t header_bytes = std::numeric_limits<std::uint64_t>::max();
    /// Returns the error for a larger record, which has that many residues and bytes of header. The
    /// front of the header is enough. Thread-safe.
    std::function<Status(std::string_view header, std::uint64_t residues, std::uint64_t header_bytes)> refuse = {};
};

}  // namespace warpseq
