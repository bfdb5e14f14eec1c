// Expands one zstd frame of a database. The frame is checked before it is decoded, and the result
// is never larger than the frame allows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/wsdb/wsdb_faults.h"

namespace warpseq {

/// Expands the zstd frame `in_map` into `expected_bytes` bytes, or into the number of bytes that
/// the frame itself states. make() returns memory for them. It is called only when the size is
/// known to be possible. The frame is first copied into `frame`, so the expanded bytes are those
/// whose checksum was right. Returns false, with a fault, if the frame is damaged. Throws
/// std::bad_alloc.
bool expand_zstd_frame(std::span<const std::uint8_t> in_map, std::vector<std::uint8_t>& frame,
                       std::optional<std::uint64_t> expected_bytes, std::uint64_t checksum, std::uint64_t file_offset,
                       const std::string& what, WsdbFaults& faults,
                       const std::function<void*(std::uint64_t size_bytes)>& make);

}  // namespace warpseq
