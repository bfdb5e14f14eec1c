// BLAST's word hits on a GPU. They tell which pairs of a query and a target have an ungapped
// alignment that kernels/seeds/word_hits.h keeps. These are exactly the pairs for which
// WordHitFinder::find() finds an alignment, so the host searches only these. This header includes
// no CUDA header.
//
// word_hits_refusal() and takes_word_hit_query() (word_hits_plan_gpu.h) refuse words of five
// residues and more, windows and X-drops beyond the kernel's limits, giant queries, and thresholds
// that make every word a hit. For these the caller has to find the pairs in another way.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/gpu/device_targets.h"
#include "kernels/gpu/pinned_pages.h"
#include "kernels/seeds/word_hits_plan_gpu.h"
#include "libcore/base/status.h"
#include "libcore/sequence/tile.h"

namespace warpseq::cuda {

/// A pair of a query and a target that has a kept alignment.
struct WordHitPair {
    std::uint32_t query;  // index into the batch
    std::uint32_t lane;   // index among the lanes of the chunk
};

/// The launch settings of the kernel, for tests and tuning.
struct WordHitLaunch {
    std::uint32_t warps_per_block = 0;  // 0: as many as shared memory has room for
    std::uint32_t extensions_at_once = 32;
    std::uint64_t pairs_expected = std::uint64_t{1} << 20;
};

/// A worker on one GPU, with a stream and buffers of its own. One thread uses it.
class WordHitGpu {
   public:
    static Result<std::unique_ptr<WordHitGpu>> create(int ordinal, const WordHitLaunch& launch = {});
    virtual ~WordHitGpu() = default;

    /// Copies tiles as SmithWatermanGpu::upload() does. The targets serve find() and
    /// SmithWatermanGpu::score().
    virtual Result<std::shared_ptr<DeviceTargets>> upload(std::span<const TileView> tiles,
                                                          std::shared_ptr<DeviceTargets> reuse,
                                                          const UploadSource& source = {}) = 0;

    /// Returns the pairs of the batch's queries and the targets that have a kept alignment, each
    /// once and in no particular order. They are in pinned memory that is valid until the next
    /// call. `targets` have to be on the same GPU.
    virtual Result<std::span<const WordHitPair>> find(const std::shared_ptr<const WordHitTables>& batch,
                                                      const DeviceTargets& targets) = 0;

    /// Returns the bytes of device memory that find() needs besides the targets, for a chunk of
    /// `chunk_bytes` packed bytes and tables of `table_bytes`. find() needs more if it finds more
    /// pairs than WordHitLaunch::pairs_expected.
    static std::uint64_t workspace_bytes(std::uint64_t chunk_bytes, std::uint64_t table_bytes);
    /// Returns the bytes of device memory that a target's entry in the tables of upload() takes.
    static std::uint64_t bytes_per_lane();

    /// Returns the milliseconds of GPU time of the last find(), from events around its kernels.
    virtual float kernel_milliseconds() const = 0;
};

}  // namespace warpseq::cuda
