// Formats numbers for messages and statistics.
#pragma once

#include <cstdint>
#include <string>

namespace warpseq {

/// Returns a size with a binary unit, such as "123 B", "1.2 KiB" or "3.4 GiB".
std::string format_size_bytes(std::uint64_t bytes);

/// Returns a count with separators, such as "1,234,567".
std::string format_count(std::uint64_t count);

}  // namespace warpseq
