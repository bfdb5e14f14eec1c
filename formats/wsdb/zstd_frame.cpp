#include "formats/wsdb/zstd_frame.h"

#include <new>

// This is needed for ZSTD_decompressBound(), which every version since 1.4.0 has under this name.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include "formats/io/checksum.h"

namespace warpseq {

bool expand_zstd_frame(std::span<const std::uint8_t> in_map, std::vector<std::uint8_t>& frame,
                       std::optional<std::uint64_t> expected_bytes, std::uint64_t checksum, std::uint64_t file_offset,
                       const std::string& what, WsdbFaults& faults,
                       const std::function<void*(std::uint64_t size_bytes)>& make) {
    frame.assign(in_map.begin(), in_map.end());
    const std::uint64_t found = checksum_of(frame.data(), frame.size());
    if (found != checksum) {
        faults.add_checksum(file_offset, what + " is damaged", checksum, found);
        return false;
    }
    // The bound follows from the frame's own blocks. So memory is never allocated on the word of
    // the index alone.
    const unsigned long long bound = ZSTD_decompressBound(frame.data(), frame.size());
    const std::uint64_t raw_bytes = expected_bytes.value_or(ZSTD_getFrameContentSize(frame.data(), frame.size()));
    if (ZSTD_isError(bound) != 0 || raw_bytes > bound) {
        faults.add(file_offset, "size of " + what,
                   expected_bytes ? "a zstd frame of " + std::to_string(raw_bytes) + " bytes"
                                  : "a zstd frame that says how many bytes it expands to",
                   ZSTD_isError(bound) != 0 ? "no zstd frame" : "one of at most " + std::to_string(bound));
        return false;
    }
    const std::size_t size = ZSTD_decompress(make(raw_bytes), raw_bytes, frame.data(), frame.size());
    if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation) throw std::bad_alloc();  // no fault of the file
    if (ZSTD_isError(size) != 0 || size != raw_bytes) {
        faults.add(file_offset, what, std::to_string(raw_bytes) + " bytes when expanded",
                   ZSTD_isError(size) != 0 ? ZSTD_getErrorName(size) : std::to_string(size));
        return false;
    }
    return true;
}

}  // namespace warpseq
