#include "kernels/gpu/device_targets.cuh"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "libcore/profile/plan7_profile.h"
#include "libcore/statistics/null_model.h"

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
                                                              std::shared_ptr<DeviceTargets> reuse, cudaStream_t stream,
                                                              const UploadSource& source) {
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
    auto targets =
        reuse ? std::static_pointer_cast<TargetsOnDevice>(std::move(reuse)) : std::make_shared<TargetsOnDevice>();
    for (cudaEvent_t& event : copied_) {
        if (event == nullptr)
            WARPSEQ_CUDA_TRY(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), ordinal_,
                             "cannot make an event");
    }
    targets->ordinal = ordinal_;
    targets->linear_tiles = targets->interleaved_tiles = 0;
    std::vector<DeviceTile> table;
    std::uint64_t words = 0;
    for (const TileLayout layout : {TileLayout::kLinear, TileLayout::kInterleaved}) {
        std::uint64_t border_entries = 0, first_word = 0, first_lane = 0;
        for (const TileView& tile : tiles) {
            const std::uint64_t columns =
                std::max<std::uint64_t>(tile.word_rows * kResiduesPerWord, kLeastBorderColumns);
            if (tile.layout == layout) {
                table.push_back(
                    {first_word, first_lane, border_entries, static_cast<std::uint32_t>(tile.word_rows), tile.lanes()});
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
    if (tables_ != TargetTables::kNone && words > UINT32_MAX)
        return Status::unavailable("a chunk of over 16 GiB is too large for a GPU: use smaller chunks")
            .with(Advice::kSmallerChunks);
    WARPSEQ_CUDA_TRY(targets->words.reserve(std::max<std::uint64_t>(words, 1)), ordinal_, "no memory for a chunk");
    WARPSEQ_CUDA_TRY(targets->tiles.reserve(table.size()), ordinal_, "no memory for a chunk");

    std::vector<DeviceLane> lanes;
    std::vector<SsvPiece> pieces;
    std::vector<float> null_nats, msv_bits;
    std::vector<std::uint8_t> msv_moves;
    std::vector<std::int16_t> viterbi_moves;
    if (tables_ == TargetTables::kLanes) {
        targets->distinct_lengths.clear();
        std::uint64_t first_word = 0;
        for (const TileView& tile : tiles) {
            for (std::uint32_t lane = 0; lane < tile.lanes(); ++lane) {
                const std::uint64_t residues = tile.lengths_residues[lane];
                if (targets->distinct_lengths.empty() || targets->distinct_lengths.back() != residues)
                    targets->distinct_lengths.push_back(residues);
                lanes.push_back({static_cast<std::uint32_t>(first_word + lane), static_cast<std::uint32_t>(residues),
                                 static_cast<std::uint32_t>(tile.word_stride()),
                                 static_cast<std::uint32_t>(targets->distinct_lengths.size() - 1)});
            }
            first_word += tile.words.size();
        }
        for (const std::uint64_t residues : targets->distinct_lengths) {
            const bool real = residues > 0;  // no filter looks at a target without residues
            null_nats.push_back(real ? null1_score_nats(residues) : 0);
            msv_moves.push_back(real ? MsvProfile::move(residues) : std::uint8_t{0});
            viterbi_moves.push_back(real ? ViterbiProfile::move(residues) : std::int16_t{0});
            for (std::size_t r = 0; r < kMsvResults; ++r) {
                msv_bits.push_back(
                    real ? bits_of(MsvProfile::nats_of_units(static_cast<int>(r) - msv_moves.back()) - null_nats.back())
                         : 0);
            }
        }
        pieces = ssv_pieces(tiles, TileLayout::kLinear);
        targets->linear_pieces = static_cast<std::uint32_t>(pieces.size());
        const std::vector<SsvPiece> interleaved = ssv_pieces(tiles, TileLayout::kInterleaved);
        targets->interleaved_pieces = static_cast<std::uint32_t>(interleaved.size());
        pieces.insert(pieces.end(), interleaved.begin(), interleaved.end());
        const std::size_t lengths = null_nats.size();
        WARPSEQ_CUDA_TRY(targets->pieces.reserve(std::max<std::size_t>(pieces.size(), 1)), ordinal_,
                         "no memory for a chunk");
        WARPSEQ_CUDA_TRY(targets->lanes_table.reserve(std::max<std::size_t>(lanes.size(), 1)), ordinal_,
                         "no memory for a chunk");
        WARPSEQ_CUDA_TRY(targets->null_nats.reserve(lengths), ordinal_, "no memory for a chunk");
        WARPSEQ_CUDA_TRY(targets->msv_moves.reserve(lengths), ordinal_, "no memory for a chunk");
        WARPSEQ_CUDA_TRY(targets->viterbi_moves.reserve(lengths), ordinal_, "no memory for a chunk");
        targets->msv_bits = std::move(msv_bits);
    }

    std::vector<DeviceSequence> sequences;
    if (tables_ == TargetTables::kSequences) {
        std::uint64_t first_word = 0, first_byte = kSequenceSpacing;
        for (const TileView& tile : tiles) {
            for (std::uint32_t lane = 0; lane < tile.lanes(); ++lane) {
                const std::uint64_t residues = tile.lengths_residues[lane];
                sequences.push_back(
                    {static_cast<std::uint32_t>(first_word + lane), static_cast<std::uint32_t>(residues),
                     static_cast<std::uint32_t>(tile.word_stride()), static_cast<std::uint32_t>(first_byte)});
                first_byte += words_for(residues) * kResiduesPerWord + kSequenceSpacing;
            }
            first_word += tile.words.size();
        }
        targets->sequence_bytes = first_byte;
        if (first_byte > UINT32_MAX)
            return Status::unavailable("a chunk is too large for a GPU: use smaller chunks")
                .with(Advice::kSmallerChunks);
        WARPSEQ_CUDA_TRY(targets->sequences.reserve(std::max<std::size_t>(sequences.size(), 1)), ordinal_,
                         "no memory for a chunk");
    }

    // What is not pinned goes through the staging buffers, one filled while the other is on its way.
    for (auto& staging : staging_) WARPSEQ_CUDA_TRY(staging.reserve(kStagingBytes), ordinal_, "no pinned memory");
    int buffer = 0;
    const auto copy = [&](std::uint8_t* to, const auto& next_bytes) -> Status {
        std::size_t filled = 0;
        const auto flush = [&]() -> Status {
            WARPSEQ_CUDA_TRY(cudaMemcpyAsync(to, staging_[buffer].data(), filled, cudaMemcpyHostToDevice, stream),
                             ordinal_, "cannot copy a chunk");
            WARPSEQ_CUDA_TRY(cudaEventRecord(copied_[buffer], stream), ordinal_, "cannot copy a chunk");
            to += filled;
            buffer = 1 - buffer;
            filled = 0;
            return cuda_status(cudaEventSynchronize(copied_[buffer]), ordinal_, "cannot copy a chunk");
        };
        for (std::span<const std::uint8_t> bytes = next_bytes(); !bytes.empty(); bytes = next_bytes()) {
            while (!bytes.empty()) {
                const std::size_t part = std::min(bytes.size(), kStagingBytes - filled);
                std::memcpy(staging_[buffer].data() + filled, bytes.data(), part);
                filled += part;
                bytes = bytes.subspan(part);
                if (filled == kStagingBytes) WARPSEQ_TRY(flush());
            }
        }
        return filled > 0 ? flush() : Status();
    };
    const auto copy_table = [&](auto* to, const auto& from) -> Status {
        bool done = from.empty();
        return copy(reinterpret_cast<std::uint8_t*>(to), [&] {
            const std::size_t bytes = std::exchange(done, true) ? 0 : from.size() * sizeof(from[0]);
            return std::span(reinterpret_cast<const std::uint8_t*>(from.data()), bytes);
        });
    };
    WARPSEQ_TRY(copy_table(targets->tiles.data(), table));
    WARPSEQ_TRY(copy_table(targets->sequences.data(), sequences));
    WARPSEQ_TRY(copy_table(targets->pieces.data(), pieces));
    WARPSEQ_TRY(copy_table(targets->lanes_table.data(), lanes));
    WARPSEQ_TRY(copy_table(targets->null_nats.data(), null_nats));
    WARPSEQ_TRY(copy_table(targets->msv_moves.data(), msv_moves));
    WARPSEQ_TRY(copy_table(targets->viterbi_moves.data(), viterbi_moves));
    // Tiles that stand one after another in memory, as those of a packed database do, go together.
    auto* to = reinterpret_cast<std::uint8_t*>(targets->words.data());
    for (std::size_t t = 0; t < tiles.size();) {
        const auto* const begin = reinterpret_cast<const std::uint8_t*>(tiles[t].words.data());
        std::size_t left = 0;
        for (; t < tiles.size() && reinterpret_cast<const std::uint8_t*>(tiles[t].words.data()) == begin + left; ++t)
            left += tiles[t].words.size_bytes();
        for (const std::uint8_t* from = begin; left > 0;) {
            const std::size_t pinned = source.pages != nullptr ? source.pages->pin(from) : 0;
            const std::size_t part = pinned > 0 ? std::min(pinned, left) : left;
            if (pinned > 0) {
                WARPSEQ_CUDA_TRY(cudaMemcpyAsync(to, from, part, cudaMemcpyHostToDevice, stream), ordinal_,
                                 "cannot copy a chunk");
            } else {
                bool done = false;
                WARPSEQ_TRY(copy(to, [&] {
                    return std::exchange(done, true) ? std::span<const std::uint8_t>() : std::span(from, part);
                }));
            }
            from += part;
            to += part;
            left -= part;
        }
    }
    const Status meanwhile = source.meanwhile ? source.meanwhile() : Status();
    WARPSEQ_CUDA_TRY(cudaStreamSynchronize(stream), ordinal_, "cannot copy a chunk");
    WARPSEQ_TRY(meanwhile);
    return std::shared_ptr<DeviceTargets>(std::move(targets));
}

}  // namespace warpseq::cuda
