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

/// Expands one zstd frame into `expected_bytes` bytes, or as many as the frame states itself.
/// make() provides room for them; it is called once the size is known to be possible. The frame is
/// copied first, so the expanded bytes are those whose checksum was right. Returns false, with a
/// fault, if the frame is damaged. Throws std::bad_alloc.
bool expand_zstd_frame(std::span<const std::uint8_t> in_map, std::vector<std::uint8_t>& frame,
                       std::optional<std::uint64_t> expected_bytes, std::uint64_t checksum, std::uint64_t file_offset,
                       const std::string& what, WsdbFaults& faults,
                       const std::function<void*(std::uint64_t size_bytes)>& make);

}  // namespace warpseq
