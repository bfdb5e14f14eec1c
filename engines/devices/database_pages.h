// Pinned pages of a session's databases, from which its GPUs copy. They are pinned piece by piece
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

/// The pages of a session's databases. Thread-safe.
class DatabasePages {
   public:
    using Pin = std::function<std::unique_ptr<cuda::PinnedPages>(std::span<const std::uint8_t> range,
                                                                 std::uint64_t most_bytes)>;

    /// Opens the pages; only the first call has an effect. Without `pin` nothing is pinned.
    /// Compressed databases have no pages, because they are copied from buffers. At most half of
    /// the machine's memory is pinned. `databases` have to outlive this object.
    void open(const DatabaseSet& databases, const Pin& pin);

    /// Returns the pages of a database; nullptr if it has none.
    cuda::PinnedPages* of(std::size_t database) const { return pages_[database].get(); }

   private:
    Once opened_;
    std::vector<std::unique_ptr<cuda::PinnedPages>> pages_;  // by database
};

}  // namespace warpseq
