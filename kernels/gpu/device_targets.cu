#include "kernels/gpu/device_targets.cuh"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpseq::cuda {
namespace {

/// Bytes of a staging buffer. Waking the threads that fill one takes a fifth of a millisecond,
/// whatever its size. Copying takes 20 us a MiB, and making the buffer at first some 200.
constexpr std::size_t kStagingBytes = std::size_t{8} << 20, kLeastStagingBytes = std::size_t{1} << 20;
constexpr std::size_t kLeastTablesBytes = std::size_t{1} << 20;
constexpr std::size_t kPartAlignmentBytes = 256;
constexpr unsigned kThreads = 256;

/// Lays out the parts of a chunk's memory, one behind the other.
class Layout {
   public:
    /// Adds a part of `count` elements and returns the byte offset at which it begins.
    template <typename T>
    std::size_t add(std::size_t count) {
        const std::size_t begin = end_bytes_;
        end_bytes_ = (begin + count * sizeof(T) + kPartAlignmentBytes - 1) / kPartAlignmentBytes * kPartAlignmentBytes;
        return begin;
    }
    std::size_t end_bytes() const { return end_bytes_; }

   private:
    std::size_t end_bytes_ = 0;
};

/// A table of a chunk, filled by the host.
template <typename T>
struct HostTable {
    std::vector<T> rows;
    std::size_t begin_bytes = 0;

    void lay_out(Layout& layout) { begin_bytes = layout.add<T>(rows.size()); }
    void write(std::uint8_t* memory) const {
        if (!rows.empty()) std::memcpy(memory + begin_bytes, rows.data(), rows.size() * sizeof(T));
    }
    DevicePart<T> on_device(std::uint8_t* memory) const { return {reinterpret_cast<T*>(memory + begin_bytes)}; }
};

/// The table of tiles is made from the sizes of tiles.
struct TileSize {
    TileLayout layout;
    std::uint64_t word_rows, words;
    std::uint32_t lanes;
};

std::vector<TileSize> sizes_of(std::span<const TileView> tiles) {
    std::vector<TileSize> sizes;
    sizes.reserve(tiles.size());
    for (const TileView& tile : tiles) sizes.push_back({tile.layout, tile.word_rows, tile.words.size(), tile.lanes()});
    return sizes;
}

/// Returns the sizes of interleaved tiles of these lanes.
std::vector<TileSize> sizes_of(std::span<const TargetLane> lanes) {
    std::vector<TileSize> sizes;
    sizes.reserve(lanes.size() / kTileLanes + 1);
    for (std::size_t first = 0; first < lanes.size(); first += kTileLanes) {
        const std::uint64_t rows = words_for(lanes[first].residues);
        sizes.push_back({TileLayout::kInterleaved, rows, rows * kTileLanes,
                         static_cast<std::uint32_t>(std::min<std::size_t>(kTileLanes, lanes.size() - first))});
    }
    return sizes;
}

/// Returns the table of tiles. Also sets the members of `targets` that follow from the tiles alone.
std::vector<DeviceTile> table_of_tiles(std::span<const TileSize> tiles, TargetsOnDevice& targets) {
    std::vector<DeviceTile> table;
    table.reserve(tiles.size() + 2);
    targets.linear_tiles = targets.interleaved_tiles = targets.long_interleaved_tiles = 0;
    for (const TileLayout layout : {TileLayout::kLinear, TileLayout::kInterleaved}) {
        std::uint64_t border_entries = 0, first_word = 0, first_lane = 0;
        for (const TileSize& tile : tiles) {
            const std::uint64_t columns =
                std::max<std::uint64_t>(tile.word_rows * kResiduesPerWord, kLeastBorderColumns);
            if (tile.layout == layout) {
                table.push_back(
                    {first_word, first_lane, border_entries, static_cast<std::uint32_t>(tile.word_rows), tile.lanes});
                border_entries += columns * kTileLanes;
                ++(layout == TileLayout::kLinear ? targets.linear_tiles : targets.interleaved_tiles);
            }
            first_word += tile.words;
            first_lane += tile.lanes;
        }
        if (layout == TileLayout::kInterleaved) {
            const auto is_long = [](const DeviceTile& tile) { return tile.word_rows >= kLongTileWords; };
            const auto first = table.begin() + targets.linear_tiles + 1;
            targets.long_interleaved_tiles =
                static_cast<std::uint32_t>(std::find_if_not(first, table.end(), is_long) - first);
        }
        table.push_back({0, 0, border_entries, 0, 0});
        targets.border_entries[layout == TileLayout::kLinear] = border_entries + kSpareBorderColumns * kTileLanes;
        targets.lane_count = first_lane;
        targets.word_count = first_word;
    }
    return table;
}

std::vector<DeviceSequence> table_of_sequences(std::span<const TileView> tiles, TargetsOnDevice& targets) {
    std::vector<DeviceSequence> sequences;
    sequences.reserve(targets.lane_count);
    std::uint64_t first_word = 0, first_byte = kSequenceSpacing;
    for (const TileView& tile : tiles) {
        for (std::uint32_t lane = 0; lane < tile.lanes(); ++lane) {
            const std::uint64_t residues = tile.lengths_residues[lane];
            sequences.push_back({static_cast<std::uint32_t>(first_word + lane), static_cast<std::uint32_t>(residues),
                                 static_cast<std::uint32_t>(tile.word_stride()),
                                 static_cast<std::uint32_t>(first_byte)});
            first_byte += words_for(residues) * kResiduesPerWord + kSequenceSpacing;
        }
        first_word += tile.words.size();
    }
    targets.sequence_bytes = first_byte;
    return sequences;
}

/// The lengths of all lanes, as tables for the device. The device itself writes the table of lanes,
/// which has millions of rows.
struct LaneLengths {
    HostTable<std::uint32_t> residues;     // of every lane
    HostTable<std::uint32_t> first_lanes;  // of each run of lanes of one length
    std::vector<HostTable<std::uint8_t>> by_length;

    LaneLengths(std::span<const TileView> tiles, const MakeLengthTables& make_tables, TargetsOnDevice& targets) {
        residues.rows.resize(targets.lane_count);
        targets.distinct_lengths.clear();
        std::uint32_t first_lane = 0;
        for (const TileView& tile : tiles) {
            const std::span<const std::uint64_t> lengths = tile.lengths_residues;
            std::ranges::transform(lengths, residues.rows.begin() + first_lane,
                                   [](std::uint64_t length) { return static_cast<std::uint32_t>(length); });
            // Lengths descend, so a tile whose first and last lane are as long has one length. Most
            // tiles are so.
            const bool goes_on =
                !targets.distinct_lengths.empty() && targets.distinct_lengths.back() == lengths.front();
            if (!goes_on || lengths.front() != lengths.back()) add_runs(lengths, first_lane, targets.distinct_lengths);
            first_lane += tile.lanes();
        }
        targets.length_tables = make_tables ? make_tables(targets.distinct_lengths) : nullptr;
        if (!targets.length_tables) return;
        for (const std::span<const std::uint8_t> table : targets.length_tables->tables())
            by_length.push_back({{table.begin(), table.end()}});
    }
    template <typename Action>
    void for_each(const Action& action) {
        action(residues);
        action(first_lanes);
        for (auto& table : by_length) action(table);
    }

   private:
    /// Adds the runs of equal lengths that begin in a tile.
    void add_runs(std::span<const std::uint64_t> lengths, std::uint32_t first_lane,
                  std::vector<std::uint64_t>& distinct) {
        for (std::uint32_t lane = 0; lane < lengths.size(); ++lane) {
            if (!distinct.empty() && distinct.back() == lengths[lane]) continue;
            distinct.push_back(lengths[lane]);
            first_lanes.rows.push_back(first_lane + lane);
        }
    }
};

/// Writes the table of lanes, with one thread for each lane. `tiles` holds `tile_count` tiles of
/// one layout, followed by their spare. Their lanes need not be all lanes of the chunk.
__global__ void write_lanes(const DeviceTile* tiles, std::uint32_t tile_count, std::uint32_t word_stride,
                            const std::uint32_t* residues, const std::uint32_t* run_first_lanes, std::uint32_t runs,
                            DeviceLane* lanes) {
    const std::uint64_t item = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::uint64_t tile_index = item / kTileLanes;
    if (tile_index >= tile_count) return;
    const DeviceTile tile = tiles[tile_index];
    const auto lane_of_tile = static_cast<std::uint32_t>(item % kTileLanes);
    if (lane_of_tile >= tile.lanes) return;
    const std::uint64_t lane = tile.first_lane + lane_of_tile;
    // Finds the last run that begins at the lane or before it.
    std::uint32_t run = 0, end = runs;
    while (end - run > 1) {
        const std::uint32_t middle = run + (end - run) / 2;
        (run_first_lanes[middle] <= lane ? run : end) = middle;
    }
    lanes[lane] = {static_cast<std::uint32_t>(tile.first_word + lane_of_tile), residues[lane], word_stride, run};
}

/// Writes the words of interleaved tiles, whose lane i is lane sources[i] of other targets. A block
/// of 32 x y threads writes a tile, row by row.
__global__ void gather_lanes(const DeviceTile* tiles, const std::uint32_t* sources, const DeviceSequence* from_lanes,
                             const std::uint32_t* from_words, std::uint32_t* words) {
    const DeviceTile tile = tiles[blockIdx.x];
    const std::uint32_t lane = threadIdx.x;
    DeviceSequence from{};
    if (lane < tile.lanes) from = from_lanes[sources[tile.first_lane + lane]];
    const auto lane_words = (from.residues + std::uint32_t{kResiduesPerWord} - 1) / std::uint32_t{kResiduesPerWord};
    for (std::uint32_t row = threadIdx.y; row < tile.word_rows; row += blockDim.y) {
        const std::uint32_t word =
            row < lane_words ? from_words[from.first_word + row * from.word_stride] : kPaddingWord;
        words[tile.first_word + std::uint64_t{row} * kTileLanes + lane] = word;
    }
}

Status defect(int ordinal, const std::string& what) {
    return Status::unavailable("GPU " + std::to_string(ordinal) + ": " + what +
                               ": a defect of warpseq, please report it");
}

/// Returns targets of a GPU to be filled: `reuse`, without its tables, or new ones if it is null.
Result<std::shared_ptr<TargetsOnDevice>> targets_to_fill(int ordinal, std::shared_ptr<DeviceTargets> reuse) {
    if (reuse == nullptr) return std::make_shared<TargetsOnDevice>(ordinal);
    auto targets = std::dynamic_pointer_cast<TargetsOnDevice>(std::move(reuse));
    if (targets == nullptr) return defect(ordinal, "memory that is to be used again is not on a GPU");
    if (targets->ordinal != ordinal)
        return defect(ordinal, "memory that is to be used again is on GPU " + std::to_string(targets->ordinal));
    targets->tables_set = TargetTables::kNone;
    return targets;
}

std::span<const std::uint8_t> bytes_of(const TileView& tile) {
    return {reinterpret_cast<const std::uint8_t*>(tile.words.data()), tile.words.size_bytes()};
}

}  // namespace

Result<const TargetsOnDevice*> targets_on(int ordinal, const DeviceTargets& targets, TargetTables needed) {
    const auto* const there = dynamic_cast<const TargetsOnDevice*>(&targets);
    if (there == nullptr) return defect(ordinal, "the targets are not on a GPU");
    if (there->ordinal != ordinal) return defect(ordinal, "the targets are on GPU " + std::to_string(there->ordinal));
    if (needed != TargetTables::kNone && there->tables_set != needed)
        return defect(ordinal, "the targets lack the tables that a kernel needs");
    return there;
}

Status TargetUploader::open_staging(std::size_t bytes) {
    const std::size_t staging_bytes = std::clamp(std::bit_ceil(bytes), kLeastStagingBytes, kStagingBytes);
    for (auto& staging : staging_) WARPSEQ_CUDA_TRY(staging.reserve(staging_bytes), ordinal_, "no pinned memory");
    for (Event& event : copied_) WARPSEQ_TRY(event.open(ordinal_, Event::Kind::kOrder));
    return {};
}

Status TargetUploader::copy_staged(std::uint8_t* to, std::span<const std::uint8_t> from, const UploadSource& source,
                                   cudaStream_t stream) {
    while (!from.empty()) {
        const int buffer = std::exchange(next_staging_, 1 - next_staging_);
        WARPSEQ_TRY(copied_[buffer].wait("cannot copy a chunk"));
        const std::size_t part = std::min(from.size(), staging_[buffer].size());
        if (source.copy)
            WARPSEQ_TRY(source.copy(staging_[buffer].data(), from.first(part)));
        else
            std::memcpy(staging_[buffer].data(), from.data(), part);
        WARPSEQ_CUDA_TRY(cudaMemcpyAsync(to, staging_[buffer].data(), part, cudaMemcpyHostToDevice, stream), ordinal_,
                         "cannot copy a chunk");
        WARPSEQ_TRY(copied_[buffer].record(stream));
        to += part;
        from = from.subspan(part);
    }
    return {};
}

Status TargetUploader::copy_words(std::span<const TileView> tiles, std::uint8_t* to, const UploadSource& source,
                                  cudaStream_t stream) {
    bool staging_is_open = false;
    std::size_t left_bytes = 0;
    for (const TileView& tile : tiles) left_bytes += tile.words.size_bytes();
    for (std::size_t t = 0; t < tiles.size();) {
        // Tiles that stand one after another in memory, as those of a packed database do, go
        // together.
        std::span<const std::uint8_t> from = bytes_of(tiles[t++]);
        for (; t < tiles.size() && bytes_of(tiles[t]).data() == from.data() + from.size(); ++t)
            from = {from.data(), from.size() + tiles[t].words.size_bytes()};
        while (!from.empty()) {
            const std::size_t pinned = source.pages != nullptr ? source.pages->pin(from.data()) : 0;
            const auto part = from.first(std::min(pinned > 0 ? pinned : kStagingBytes, from.size()));
            if (pinned > 0) {
                WARPSEQ_CUDA_TRY(cudaMemcpyAsync(to, part.data(), part.size(), cudaMemcpyHostToDevice, stream),
                                 ordinal_, "cannot copy a chunk");
            } else {
                if (!std::exchange(staging_is_open, true)) WARPSEQ_TRY(open_staging(left_bytes));
                WARPSEQ_TRY(copy_staged(to, part, source, stream));
            }
            to += part.size();
            left_bytes -= part.size();
            from = from.subspan(part.size());
        }
    }
    return {};
}

Result<std::shared_ptr<DeviceTargets>> TargetUploader::upload(std::span<const TileView> tiles,
                                                              std::shared_ptr<DeviceTargets> reuse, cudaStream_t stream,
                                                              const UploadSource& source) {
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
    auto to_fill = targets_to_fill(ordinal_, std::move(reuse));
    if (!to_fill.ok()) return to_fill.status();
    const std::shared_ptr<TargetsOnDevice> targets = *std::move(to_fill);
    EnqueuedWork work(ordinal_);
    HostTable<DeviceTile> table{table_of_tiles(sizes_of(tiles), *targets)};
    HostTable<DeviceSequence> sequences;
    HostTable<TargetPiece> pieces;
    std::optional<LaneLengths> lengths;
    if (tables_ != TargetTables::kNone && targets->word_count > UINT32_MAX)
        return Status::unavailable("a chunk of over 16 GiB is too large for a GPU: use smaller chunks")
            .with(Advice::kSmallerChunks);
    if (tables_ == TargetTables::kSequences) {
        sequences.rows = table_of_sequences(tiles, *targets);
        if (targets->sequence_bytes > UINT32_MAX)
            return Status::unavailable("a chunk is too large for a GPU: use smaller chunks")
                .with(Advice::kSmallerChunks);
    }
    if (tables_ == TargetTables::kLanes) {
        lengths.emplace(tiles, make_length_tables_, *targets);
        pieces.rows = target_pieces(tiles, TileLayout::kLinear);
        targets->linear_pieces = static_cast<std::uint32_t>(pieces.rows.size());
        const std::vector<TargetPiece> interleaved = target_pieces(tiles, TileLayout::kInterleaved);
        targets->interleaved_pieces = static_cast<std::uint32_t>(interleaved.size());
        pieces.rows.insert(pieces.rows.end(), interleaved.begin(), interleaved.end());
    }

    const auto for_each_table = [&](const auto& action) {
        action(table);
        action(sequences);
        action(pieces);
        if (lengths) lengths->for_each(action);
    };
    Layout layout;
    for_each_table([&](auto& each) { each.lay_out(layout); });
    const std::size_t tables_bytes = layout.end_bytes();
    const std::size_t lanes_begin = layout.add<DeviceLane>(lengths ? targets->lane_count : 0);
    const std::size_t words_begin = layout.add<std::uint32_t>(targets->word_count);
    WARPSEQ_CUDA_TRY(source.most_bytes > 0 ? targets->memory.reserve(layout.end_bytes(), source.most_bytes)
                                           : targets->memory.reserve_ahead(layout.end_bytes()),
                     ordinal_, "no memory for a chunk");
    std::uint8_t* const memory = targets->memory.data();
    targets->words.begin = reinterpret_cast<std::uint32_t*>(memory + words_begin);
    targets->tiles = table.on_device(memory);
    targets->sequences = sequences.on_device(memory);
    targets->pieces = pieces.on_device(memory);

    WARPSEQ_TRY(reserve_tables(tables_bytes));
    for_each_table([&](const auto& each) { each.write(tables_host_.data()); });
    WARPSEQ_CUDA_TRY(cudaMemcpyAsync(memory, tables_host_.data(), tables_bytes, cudaMemcpyHostToDevice, stream),
                     ordinal_, "cannot copy a chunk");
    if (lengths) {
        targets->length_tables_on_device.clear();
        for (const auto& each : lengths->by_length)
            targets->length_tables_on_device.push_back(each.on_device(memory).data());
        targets->lanes_table.begin = reinterpret_cast<DeviceLane*>(memory + lanes_begin);
        const auto write = [&](std::uint32_t first_tile, std::uint32_t tile_count, std::uint32_t word_stride) {
            if (tile_count == 0) return;
            const auto blocks =
                static_cast<unsigned>((std::uint64_t{tile_count} * kTileLanes + kThreads - 1) / kThreads);
            write_lanes<<<blocks, kThreads, 0, stream>>>(
                targets->tiles.data() + first_tile, tile_count, word_stride, lengths->residues.on_device(memory).data(),
                lengths->first_lanes.on_device(memory).data(),
                static_cast<std::uint32_t>(lengths->first_lanes.rows.size()), targets->lanes_table.data());
        };
        write(0, targets->linear_tiles, 1);
        write(targets->linear_tiles + 1, targets->interleaved_tiles, kTileLanes);
        WARPSEQ_CUDA_TRY(cudaGetLastError(), ordinal_, "cannot describe a chunk");
    }
    const Status copying = copy_words(tiles, memory + words_begin, source, stream);
    const Status meanwhile = copying.ok() && source.meanwhile ? source.meanwhile() : Status();
    WARPSEQ_TRY(work.wait(stream, "cannot copy a chunk"));
    WARPSEQ_TRY(copying);
    WARPSEQ_TRY(meanwhile);
    targets->tables_set = tables_;
    return std::shared_ptr<DeviceTargets>(targets);
}

Status TargetUploader::reserve_tables(std::size_t bytes) {
    if (tables_host_.size() >= bytes) return {};
    // From chunk to chunk targets become shorter and more numerous, and pinning memory takes longer
    // than copying it. So the memory grows to a power of two.
    return cuda_status(tables_host_.reserve(std::max(std::bit_ceil(bytes), kLeastTablesBytes)), ordinal_,
                       "no pinned memory");
}

Result<std::shared_ptr<DeviceTargets>> TargetUploader::gather(const TargetsOnDevice& from,
                                                              std::span<const TargetLane> lanes,
                                                              std::shared_ptr<DeviceTargets> reuse,
                                                              cudaStream_t stream) {
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
    auto to_fill = targets_to_fill(ordinal_, std::move(reuse));
    if (!to_fill.ok()) return to_fill.status();
    const std::shared_ptr<TargetsOnDevice> targets = *std::move(to_fill);
    EnqueuedWork work(ordinal_);
    HostTable<DeviceTile> table{table_of_tiles(sizes_of(lanes), *targets)};
    HostTable<std::uint32_t> sources;
    sources.rows.reserve(lanes.size());
    for (const TargetLane& lane : lanes) sources.rows.push_back(lane.lane);

    Layout layout;
    table.lay_out(layout);
    sources.lay_out(layout);
    const std::size_t tables_bytes = layout.end_bytes();
    const std::size_t words_begin = layout.add<std::uint32_t>(targets->word_count);
    WARPSEQ_CUDA_TRY(targets->memory.reserve_ahead(layout.end_bytes()), ordinal_, "no memory for gathered targets");
    std::uint8_t* const memory = targets->memory.data();
    targets->words.begin = reinterpret_cast<std::uint32_t*>(memory + words_begin);
    targets->tiles = table.on_device(memory);
    targets->sequences = {};

    WARPSEQ_TRY(reserve_tables(tables_bytes));
    table.write(tables_host_.data());
    sources.write(tables_host_.data());
    WARPSEQ_CUDA_TRY(cudaMemcpyAsync(memory, tables_host_.data(), tables_bytes, cudaMemcpyHostToDevice, stream),
                     ordinal_, "cannot gather targets");
    if (targets->interleaved_tiles > 0) {
        // The table begins with the spare of the linear tiles, of which there are none.
        gather_lanes<<<targets->interleaved_tiles, dim3(kTileLanes, kThreads / kTileLanes), 0, stream>>>(
            targets->tiles.data() + 1, sources.on_device(memory).data(), from.sequences.data(), from.words.data(),
            targets->words.data());
        WARPSEQ_CUDA_TRY(cudaGetLastError(), ordinal_, "cannot gather targets");
    }
    WARPSEQ_TRY(work.wait(stream, "cannot gather targets"));
    return std::shared_ptr<DeviceTargets>(targets);
}

}  // namespace warpseq::cuda
