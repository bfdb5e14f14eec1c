// Reads sizes in bytes as NCBI's programs do.
#pragma once

#include <cstdint>
#include <string>

#include "libcore/base/status.h"

namespace warpseq {

/// Returns the number of bytes in a text such as "1GB", "1.5 MB" or "100KiB", rounded to the
/// nearest whole number. A size of 2^63 bytes or more is returned as 2^63. An error has NCBI's
/// message.
Result<std::uint64_t> read_data_size(const std::string& text);

}  // namespace warpseq
