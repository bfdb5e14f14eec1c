#include "kernels/cuda/device_targets.cuh"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace warpseq::cuda {
namespace {

constexpr std::size_t kStagingBytes = std::size_t{8} << 20;

}  // namespace

TargetUploader::~TargetUploader() {
    cudaSetDevice(ordinal_);
    for (const cudaEvent_t event : copied_) {
        if (event != nullptr) cudaEventDestroy(event);
    }
}

Result<std::shared_ptr<DeviceTargets>> TargetUploader::upload(std::span<const TileView> tiles,
                                                              std::shared_ptr<DeviceTargets> reuse, cudaStream_t stream) {
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
    auto targets = reuse ? std::static_pointer_cast<TargetsOnDevice>(std::move(reuse)) : std::make_shared<TargetsOnDevice>();
    for (cudaEvent_t& event : copied_) {
        if (event == nullptr)
            WARPSEQ_CUDA_TRY(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), ordinal_, "cannot make an event");
    }
    targets->ordinal = ordinal_;
    targets->linear_tiles = targets->interleaved_tiles = 0;
    std::vector<DeviceTile> table;
    std::uint64_t words = 0;
    for (const TileLayout layout : {TileLayout::kLinear, TileLayout::kInterleaved}) {
        std::uint64_t border_entries = 0, first_word = 0, first_lane = 0;
        for (const TileView& tile : tiles) {
            const std::uint64_t columns = std::max<std::uint64_t>(tile.word_rows * kResiduesPerWord, kLeastBorderColumns);
            if (tile.layout == layout) {
                table.push_back({first_word, first_lane, border_entries, static_cast<std::uint32_t>(tile.word_rows), tile.lanes()});
                border_entries += columns * kTileLanes;
                ++(layout == TileLayout::kLinear ? targets->linear_tiles : targets->interleaved_tiles);
            }
            first_word += tile.words.size();
            first_lane += tile.lanes();
        }
        table.push_back({0, 0, border_entries, 0, 0});
        targets->border_entries[layout == TileLayout::kLinear] = border_entries + kSpareBorderColumns * kTileLanes;
        targets->lane_count = first_lane;
        words = first_word;
        targets->word_count = first_word;
    }
    WARPSEQ_CUDA_TRY(targets->words.reserve(std::max<std::uint64_t>(words, 1)), ordinal_, "no memory for a chunk");
    WARPSEQ_CUDA_TRY(targets->tiles.reserve(table.size()), ordinal_, "no memory for a chunk");

    // The table goes first, through the staging buffer as the words do, so that the copy is asynchronous.
    for (auto& staging : staging_) {
        WARPSEQ_CUDA_TRY(staging.reserve(std::max(kStagingBytes, table.size() * sizeof(DeviceTile))), ordinal_, "no pinned memory");
    }
    const std::size_t table_bytes = table.size() * sizeof(DeviceTile);
    std::memcpy(staging_[0].data(), table.data(), table_bytes);
    WARPSEQ_CUDA_TRY(cudaMemcpyAsync(targets->tiles.data(), staging_[0].data(), table_bytes, cudaMemcpyHostToDevice, stream),
                     ordinal_, "cannot copy a chunk");
    WARPSEQ_CUDA_TRY(cudaEventRecord(copied_[0], stream), ordinal_, "cannot copy a chunk");
    int buffer = 1;
    std::size_t filled = 0;
    auto* to = reinterpret_cast<std::uint8_t*>(targets->words.data());
    const auto flush = [&]() -> Status {
        WARPSEQ_CUDA_TRY(cudaMemcpyAsync(to, staging_[buffer].data(), filled, cudaMemcpyHostToDevice, stream), ordinal_,
                         "cannot copy a chunk");
        WARPSEQ_CUDA_TRY(cudaEventRecord(copied_[buffer], stream), ordinal_, "cannot copy a chunk");
        to += filled;
        buffer = 1 - buffer;
        filled = 0;
        return cuda_status(cudaEventSynchronize(copied_[buffer]), ordinal_, "cannot copy a chunk");
    };
    for (const TileView& tile : tiles) {
        auto bytes = std::span(reinterpret_cast<const std::uint8_t*>(tile.words.data()), tile.words.size_bytes());
        while (!bytes.empty()) {
            const std::size_t part = std::min(bytes.size(), kStagingBytes - filled);
            std::memcpy(staging_[buffer].data() + filled, bytes.data(), part);
            filled += part;
            bytes = bytes.subspan(part);
            if (filled == kStagingBytes) WARPSEQ_TRY(flush());
        }
    }
    if (filled > 0) WARPSEQ_TRY(flush());
    WARPSEQ_CUDA_TRY(cudaStreamSynchronize(stream), ordinal_, "cannot copy a chunk");
    return std::shared_ptr<DeviceTargets>(std::move(targets));
}

}  // namespace warpseq::cuda
