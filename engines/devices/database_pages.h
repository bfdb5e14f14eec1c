// The memory that a session's databases stand in, as its GPUs copy from it: pinned piece by piece
// as chunks are brought, once for all searches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engines/targets/database_set.h"
#include "kernels/gpu/pinned_pages.h"
#include "libcore/base/once.h"

namespace warpseq {

/// Thread-safe.
class DatabasePages {
   public:
    using Pin = std::function<std::unique_ptr<cuda::PinnedPages>(std::span<const std::uint8_t> range,
                                                                 std::uint64_t most_bytes)>;

    /// The first call decides; without `pin` nothing is pinned. Databases that are compressed,
    /// which are copied from buffers, have no pages. Half of the machine's memory is pinned at
    /// most. `databases` outlive this.
    void open(const DatabaseSet& databases, const Pin& pin);

    /// nullptr: none.
    cuda::PinnedPages* of(std::size_t database) const { return pages_[database].get(); }

   private:
    Once opened_;
    std::vector<std::unique_ptr<cuda::PinnedPages>> pages_;  // by database
};

}  // namespace warpseq
