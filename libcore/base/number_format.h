// Numbers as people read them in messages and statistics.
#pragma once

#include <cstdint>
#include <string>

namespace warpseq {

/// "123 B", "1.2 KiB", "3.4 GiB".
std::string format_size_bytes(std::uint64_t bytes);

/// "1,234,567"
std::string format_count(std::uint64_t count);

}  // namespace warpseq
