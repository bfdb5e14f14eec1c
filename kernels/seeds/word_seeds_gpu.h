// BLAST's seeds on a GPU: which pairs of a query and a target have an ungapped alignment that kernels/seeds/word_finder.h keeps. Exactly those for
// which WordFinder::find() leaves something, so the host looks at nothing else. No CUDA header here.
//
// Where word_seeds_refusal() or takes_seed_query() says no (words of five residues and more, giant queries, thresholds that make every word
// a hit), the caller has to find pairs by other means.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/gpu/device_targets.h"
#include "kernels/seeds/word_seeds_plan_gpu.h"
#include "libcore/base/status.h"
#include "libcore/sequence/tile.h"

namespace warpseq::cuda {

struct SeedPair {
    std::uint32_t query;  // of the batch
    std::uint32_t lane;   // of the chunk
};

/// How the kernel is launched, for tests and tuning.
struct WordSeedLaunch {
    std::uint32_t warps_per_block = 0;  // 0: as many as shared memory has room for
    std::uint32_t extensions_at_once = 32;
    std::uint64_t pairs_expected = std::uint64_t{1} << 20;
};

/// One line of work on one GPU: a stream and buffers of its own. Used by one thread.
class WordSeedGpu {
   public:
    static Result<std::unique_ptr<WordSeedGpu>> create(int ordinal, const WordSeedLaunch& launch = {});
    virtual ~WordSeedGpu() = default;

    /// As SmithWatermanGpu::upload(); these targets are for this kernel and Smith-Waterman's.
    virtual Result<std::shared_ptr<DeviceTargets>> upload(std::span<const TileView> tiles,
                                                          std::shared_ptr<DeviceTargets> reuse) = 0;

    /// The pairs, each once, in no order; in pinned memory that is valid until the next call. `targets` have to be on the same GPU.
    virtual Result<std::span<const SeedPair>> find(const std::shared_ptr<const WordSeedTables>& batch,
                                                   const DeviceTargets& targets) = 0;

    /// Device memory that find() needs besides the targets for a chunk of this many packed bytes and tables of so many bytes, as long as no
    /// more pairs are found than WordSeedLaunch::pairs_expected.
    static std::uint64_t workspace_bytes(std::uint64_t chunk_bytes, std::uint64_t table_bytes);
    /// Device memory of a target's entry in tables.
    static std::uint64_t bytes_per_lane();

    /// Milliseconds of GPU time of the last find(), from events around its kernels.
    virtual float kernel_milliseconds() const = 0;
};

}  // namespace warpseq::cuda
