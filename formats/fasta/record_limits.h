// RecordLimits: the size of the largest record that the consumer of a reader accepts.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>

#include "libcore/base/status.h"

namespace warpseq {

/// The limits of a record's size. A reader that knows them need not hold larger records in memory.
struct RecordLimits {
    std::uint64_t residues = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t header_bytes = std::numeric_limits<std::uint64_t>::max();
    /// Returns the error for a larger record with these numbers of residues and of header bytes.
    /// `header` may be only the front of the header. Thread-safe.
    std::function<Status(std::string_view header, std::uint64_t residues, std::uint64_t header_bytes)> refuse = {};
};

}  // namespace warpseq
