#include "engines/blastp/blastp_gpu_screen.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "engines/blastp/seed_gpu_scan.h"
#include "engines/devices/gpu_scan.h"
#include "kernels/seeds/word_hits_plan_gpu.h"

namespace warpseq {
namespace {

/// Least memory of a GPU for word hits. With less, chunks would be so small that the tables of
/// words take most of it.
constexpr std::uint64_t kLeastSeedMemoryBytes = std::uint64_t{512} << 20;

class Screen final : public BlastpGpuScreen {
   public:
    Screen(const DatabaseSet& databases, const BlastpParameters& parameters, const SearchSpace& space,
           const SwGpuSettings& settings, const SeedGpus& gpus)
        : databases_(databases),
          parameters_(parameters),
          statistics_(parameters.statistics),
          settings_(settings),
          gpus_(gpus) {
        settings_.space = space;
        settings_.evalue = parameters.preliminary_evalue(space);
        settings_.max_hits = 0;
        settings_.most_queries = batch_limits(parameters).queries;
        if (!settings_.resident) settings_.resident = std::make_shared<ResidentChunks>();
    }

    std::future<Result<std::vector<std::vector<Hit>>>> submit(std::span<const BlastpQuery* const> parts,
                                                              std::span<const Query> scanned, const TargetShare& share,
                                                              const SearchControl& control, HostHelp help) override;
    BlastpGpuCounts counts() const override {
        const std::lock_guard lock(mutex_);
        BlastpGpuCounts counts = seeds_ ? seeds_->counts() : BlastpGpuCounts{};
        if (scores_) {
            const SwGpuCounts of_scores = scores_->counts();
            counts.cells += of_scores.cells;
            counts.host += of_scores.host;
        }
        return counts;
    }

   private:
    bool uses_seeds(std::span<const BlastpQuery* const> parts) const;
    Status open(bool seeds);

    const DatabaseSet& databases_;
    const BlastpParameters& parameters_;
    std::optional<AlignmentStatistics> statistics_;
    SwGpuSettings settings_;
    SeedGpus gpus_;
    mutable std::mutex mutex_;  // guards what is opened when it is first needed
    std::unique_ptr<SeedGpuScan> seeds_;
    std::unique_ptr<SwGpuScan> scores_;
};

// Whether a batch goes through the word hits. This is the one place that decides it.
bool Screen::uses_seeds(std::span<const BlastpQuery* const> parts) const {
    if (cuda::word_hits_refusal(parameters_.rule, parameters_.window_residues) != nullptr) return false;
    if (settings_.memory.bytes != 0 && settings_.memory.bytes < kLeastSeedMemoryBytes) return false;
    std::uint64_t residues = 0;
    for (const BlastpQuery* part : parts) {
        if (!cuda::takes_word_hit_query(part->scored.size(), part->x_drop_ungapped_raw, parameters_.window_residues))
            return false;
        residues += part->scored.size();
    }
    // If the database has been brought to the GPUs for word hits, a small batch does not bring it
    // there again for scores.
    return residues >= kLeastSeedResidues || seeds_ != nullptr;
}

// Opens one of the two scans when it is first needed. Both share the session's memory. If that has
// a limit, neither plans with more than half of it.
Status Screen::open(bool seeds) {
    if (seeds ? seeds_ != nullptr : scores_ != nullptr) return {};
    SwGpuSettings settings = settings_;
    settings.most_memory_bytes = settings.memory.bytes / 2;
    if (seeds) {
        auto scan = SeedGpuScan::create(databases_, parameters_, settings, gpus_);
        if (!scan.ok()) return scan.status();
        seeds_ = *std::move(scan);
        return {};
    }
    const bool alone = cuda::word_hits_refusal(parameters_.rule, parameters_.window_residues) != nullptr ||
                       settings_.memory.bytes < kLeastSeedMemoryBytes;
    auto scan =
        SwGpuScan::create(databases_, parameters_.scheme, statistics_, alone ? settings_ : settings, gpus_.scores);
    if (!scan.ok()) return scan.status();
    scores_ = *std::move(scan);
    return {};
}

std::future<Result<std::vector<std::vector<Hit>>>> Screen::submit(std::span<const BlastpQuery* const> parts,
                                                                  std::span<const Query> scanned,
                                                                  const TargetShare& share,
                                                                  const SearchControl& control, HostHelp help) {
    std::unique_lock lock(mutex_);
    const bool seeds = uses_seeds(parts);
    if (const Status status = open(seeds); !status.ok()) return failed_scan<std::vector<std::vector<Hit>>>(status);
    lock.unlock();
    // With word hits the host does not help: it lists the pairs that they leave.
    return seeds ? seeds_->submit(parts, scanned, share, control)
                 : scores_->submit(scanned, share, control, std::move(help));
}

}  // namespace

QueryBatchLimits BlastpGpuScreen::batch_limits(const BlastpParameters& parameters) {
    const bool seeds = cuda::word_hits_refusal(parameters.rule, parameters.window_residues) == nullptr;
    return seeds ? QueryBatchLimits{.queries = 128, .residues = 48 << 10}
                 : QueryBatchLimits{.queries = 64, .residues = 16 << 10};
}

std::unique_ptr<BlastpGpuScreen> BlastpGpuScreen::create(const DatabaseSet& databases,
                                                         const BlastpParameters& parameters, const SearchSpace& space,
                                                         const SwGpuSettings& settings, const SeedGpus& gpus) {
    return std::make_unique<Screen>(databases, parameters, space, settings, gpus);
}

}  // namespace warpseq
