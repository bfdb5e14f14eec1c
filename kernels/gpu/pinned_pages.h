// Pages of host memory that GPUs copy from by themselves, at the speed of the link. Other memory
// has to be copied to pinned buffers by the host first, at a tenth of that speed. This header
// includes no CUDA header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "libcore/base/status.h"

namespace warpseq::cuda {

/// A range of memory, such as the map of a file, that is pinned piece by piece as it is needed.
/// Pinned pieces stay pinned until the object's end.
class PinnedPages {
   public:
    virtual ~PinnedPages() = default;
    /// Pins the piece of the range that holds the byte at `from`, unless it is pinned already.
    /// Returns how many bytes from there on one copy may take. Returns 0 if the byte is not in the
    /// range, or if the system, the driver or the limit refuses. The caller then copies the bytes
    /// in another way. Thread-safe.
    virtual std::size_t pin(const std::uint8_t* from) = 0;
};

/// Returns the pages of `range` for all GPUs of the process. `range` has to stay mapped longer than
/// the object lives. At most `most_bytes` of it are pinned. pin() refuses a range that other code
/// has pinned already.
std::unique_ptr<PinnedPages> make_pinned_pages(std::span<const std::uint8_t> range, std::uint64_t most_bytes);

/// The way in which upload() of any kernel reads its tiles, beyond where they stand.
struct UploadSource {
    PinnedPages* pages = nullptr;  // where the tiles' words may lie; nullptr: nothing is pinned
    /// Fills the pinned buffers through which other memory goes, with any number of bytes, at best
    /// by several threads. If it is empty, the caller's thread alone fills them.
    std::function<Status(std::uint8_t* to, std::span<const std::uint8_t> from)> copy = {};
    /// Optional work that the host does during the copy, such as checking what is being copied. Its
    /// error becomes upload()'s.
    std::function<Status()> meanwhile = {};
    /// Memory in bytes that is taken at once where the reused memory is too small. It is what the
    /// largest of the tiles to come will need, or 0 if that is not known.
    std::uint64_t most_bytes = 0;
};

}  // namespace warpseq::cuda
