// Pages of the host's memory that GPUs copy from by themselves, at the speed of the link; from
// other memory the host has to copy to pinned buffers first, at a tenth of it. No CUDA header here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "libcore/base/status.h"

namespace warpseq::cuda {

/// A range of memory, such as the map of a file, that is pinned piece by piece as it is needed and
/// stays so until the object's end.
class PinnedPages {
   public:
    virtual ~PinnedPages() = default;
    /// Pins the piece of the range that holds the byte at `from`, unless it is pinned already. How
    /// many bytes from there on one copy may take; 0 where they are not in the range or the system,
    /// the driver or the limit refuses: then copy them otherwise. Thread-safe.
    virtual std::size_t pin(const std::uint8_t* from) = 0;
};

/// `range` stays mapped longer than this. No more than `most_bytes` of it are pinned. For all GPUs
/// of the process. A range that is pinned by somebody else already is refused by pin().
std::unique_ptr<PinnedPages> make_pinned_pages(std::span<const std::uint8_t> range, std::uint64_t most_bytes);

/// How upload() of any kernel gets at its tiles, beyond where they stand.
struct UploadSource {
    PinnedPages* pages = nullptr;  // where the tiles' words may lie; nullptr: nothing is pinned
    /// How the host fills the pinned buffers through which other memory goes, whatever the size: by
    /// several threads, at best. Empty: by the caller's alone.
    std::function<Status(std::uint8_t* to, std::span<const std::uint8_t> from)> copy = {};
    /// What the host does meanwhile, such as checking what is being copied; its error is
    /// upload()'s. Optional.
    std::function<Status()> meanwhile = {};
    /// How much memory is taken at once where what is reused is too small: what the largest of the
    /// tiles to come will need. 0: not known.
    std::uint64_t most_bytes = 0;
};

}  // namespace warpseq::cuda
