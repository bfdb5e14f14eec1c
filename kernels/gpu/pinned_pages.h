// Pinned pages of host memory. GPUs copy from them directly, at the speed of the link. Other memory
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
    /// Returns the number of bytes from there on that one copy may take. Returns 0 if the byte is
    /// not in the range, or if the system, the driver or the limit refuses. The caller then has to
    /// copy the bytes in another way. Thread-safe.
    virtual std::size_t pin(const std::uint8_t* from) = 0;
};

/// Returns an object that pins `range` for all GPUs of the process, at most `most_bytes` of it.
/// `range` has to stay mapped until the object is gone. pin() refuses a range that other code has
/// pinned already.
std::unique_ptr<PinnedPages> make_pinned_pages(std::span<const std::uint8_t> range, std::uint64_t most_bytes);

/// Options for the upload() functions of all kernels: how tiles are read, and what the host does
/// meanwhile.
struct UploadSource {
    PinnedPages* pages = nullptr;  // pages that may hold the tiles' words; nullptr: no pinned pages
    /// Copies `from` to a pinned buffer, with several threads if possible. upload() calls it for
    /// memory that is not pinned. If it is empty, the caller's thread copies alone.
    std::function<Status(std::uint8_t* to, std::span<const std::uint8_t> from)> copy = {};
    /// Optional work that the host does during the copy, such as checking what is being copied. Its
    /// error becomes upload()'s.
    std::function<Status()> meanwhile = {};
    /// Size in bytes of the allocation that is made if the reused memory is too small. It is what
    /// the largest chunk to come needs, or 0 if that is not known.
    std::uint64_t most_bytes = 0;
};

}  // namespace warpseq::cuda
