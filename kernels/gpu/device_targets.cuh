// The layout of a chunk's tiles in device memory, and the class that copies them there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/gpu/cuda_status.cuh"
#include "kernels/gpu/device_targets.h"
#include "kernels/gpu/memory.cuh"
#include "kernels/gpu/pinned_pages.h"
#include "kernels/gpu/streams.cuh"
#include "kernels/gpu/target_pieces.h"
#include "libcore/base/status.h"
#include "libcore/sequence/tile.h"

namespace warpseq::cuda {

/// Columns of spare border entries behind the last tile's entries. Threads write to them before
/// their first unit and after their last one, and read ahead into them.
inline constexpr std::uint64_t kSpareBorderColumns = 96;
/// Least number of columns that a tile has border entries for, however short it is.
inline constexpr std::uint64_t kLeastBorderColumns = 30;

/// Least words of a lane in a long tile, for kernels that treat long targets in another way.
inline constexpr std::uint64_t kLongTileWords = 128;

/// A tile in device memory.
struct DeviceTile {
    std::uint64_t first_word;    // into TargetsOnDevice::words
    std::uint64_t first_lane;    // index of lane 0 among all lanes of the chunk, which is where its score goes
    std::uint64_t first_border;  // into the border rows; an interleaved tile has 32 entries for each column
    std::uint32_t word_rows;
    std::uint32_t lanes;
};

/// A lane of a chunk, for kernels that work on lists of targets.
struct DeviceLane {
    std::uint32_t first_word;  // into TargetsOnDevice::words
    std::uint32_t residues;
    std::uint32_t word_stride;   // to the target's next word: kTileLanes or 1
    std::uint32_t length_index;  // into TargetsOnDevice::distinct_lengths
};

/// A lane of a chunk, for kernels that read targets as bytes. The bytes are a chunk's residues, one
/// lane after another, with separators in front of each lane.
struct DeviceSequence {
    std::uint32_t first_word;  // as in DeviceLane
    std::uint32_t residues;
    std::uint32_t word_stride;
    std::uint32_t first_byte;  // a multiple of two
};
/// Bytes between the last word of a lane and the first residue of the next one. There are as many
/// before the first lane.
inline constexpr std::uint32_t kSequenceSpacing = 16;

/// Tables with a row for each distinct length of a chunk's targets. A family of kernels that needs
/// such tables makes its own.
class LengthTables {
   public:
    virtual ~LengthTables() = default;
    /// Returns the bytes of each table, to be copied to the device. They stay valid and in place as
    /// long as this object lives.
    virtual std::vector<std::span<const std::uint8_t>> tables() const = 0;
};
using MakeLengthTables =
    std::function<std::shared_ptr<const LengthTables>(std::span<const std::uint64_t> lengths_residues)>;

/// A part of a chunk's memory.
template <typename T>
struct DevicePart {
    T* begin = nullptr;
    T* data() const { return begin; }
};

/// The tables that are copied besides words and tiles.
enum class TargetTables { kNone, kSequences, kLanes };

class TargetsOnDevice final : public DeviceTargets {
   public:
    explicit TargetsOnDevice(int on) : ordinal(on) {}
    std::uint64_t lanes() const override { return lane_count; }

    const int ordinal;
    TargetTables tables_set = TargetTables::kNone;  // the tables that are set besides words and tiles
    DeviceArray<std::uint8_t> memory;  // of all parts; an allocation for each part would take longer than filling it
    DevicePart<std::uint32_t> words;
    std::uint64_t word_count = 0;
    DevicePart<DeviceTile> tiles;  // linear ones, a spare, interleaved ones, a spare
    std::uint32_t linear_tiles = 0, interleaved_tiles = 0;
    std::uint32_t long_interleaved_tiles = 0;  // of interleaved_tiles, those before the first shorter one
    std::uint64_t lane_count = 0;
    // The next two members are set only with TargetTables::kSequences.
    DevicePart<DeviceSequence> sequences;  // of every lane
    std::uint64_t sequence_bytes = 0;      // of all sequences, a byte per residue of their words, with separators
    // The members below, except border_entries, are set only with TargetTables::kLanes.
    DevicePart<TargetPiece> pieces;  // of linear tiles, then of interleaved ones
    std::uint32_t linear_pieces = 0, interleaved_pieces = 0;
    DevicePart<DeviceLane> lanes_table;  // of every lane
    /// The lengths in residues, one for each run of lanes of equal length, in the order of lanes.
    /// Lengths descend among the linear tiles, and again among the interleaved ones.
    std::vector<std::uint64_t> distinct_lengths;
    /// The tables that the uploader's MakeLengthTables made, or null. The next member tells where
    /// each of them lies on the device.
    std::shared_ptr<const LengthTables> length_tables;
    std::vector<const std::uint8_t*> length_tables_on_device;
    std::uint64_t border_entries[2] = {};  // of interleaved tiles, of linear ones

    ~TargetsOnDevice() override { cudaSetDevice(ordinal); }
};

/// Returns `targets` as the kernels of a GPU see them. Fails with kUnavailable if they are on
/// another GPU, or lack the tables `needed` (TargetTables::kNone needs none).
Result<const TargetsOnDevice*> targets_on(int ordinal, const DeviceTargets& targets,
                                          TargetTables needed = TargetTables::kNone);

/// An uploader of tiles to a GPU. Tiles in pinned pages are copied directly. Tiles in other memory
/// go through two pinned buffers of the uploader. One thread uses an uploader.
class TargetUploader {
   public:
    /// Makes an uploader for one GPU. `make_length_tables` is called for each chunk, with
    /// TargetTables::kLanes only.
    explicit TargetUploader(int ordinal, TargetTables tables = TargetTables::kNone,
                            MakeLengthTables make_length_tables = {})
        : ordinal_(ordinal), tables_(tables), make_length_tables_(std::move(make_length_tables)) {}

    /// Copies the tiles. Returns when they have arrived and source.meanwhile() has returned. Fails
    /// with kUnavailable if memory is exhausted. `reuse`, if given, is the result of an earlier
    /// call, of any uploader for the same GPU. Its memory is used again, and its content is lost.
    Result<std::shared_ptr<DeviceTargets>> upload(std::span<const TileView> tiles, std::shared_ptr<DeviceTargets> reuse,
                                                  cudaStream_t stream, const UploadSource& source = {});

    /// Makes interleaved tiles of some lanes of `from`, which has the table of kSequences. The
    /// longest lane comes first. Lane i of the result is lanes[i]. Returns when the tiles are
    /// there. `reuse` is as in upload().
    Result<std::shared_ptr<DeviceTargets>> gather(const TargetsOnDevice& from, std::span<const TargetLane> lanes,
                                                  std::shared_ptr<DeviceTargets> reuse, cudaStream_t stream);

   private:
    /// Makes room for the tables that go to the device, of a chunk or of gathered lanes.
    Status reserve_tables(std::size_t bytes);
    /// Opens the staging buffers for a chunk with `bytes` of words. The caller makes sure that
    /// nothing is being copied from them.
    Status open_staging(std::size_t bytes);
    /// Copies `from` through the two staging buffers, which are open. One is filled while the other
    /// is being copied.
    Status copy_staged(std::uint8_t* to, std::span<const std::uint8_t> from, const UploadSource& source,
                       cudaStream_t stream);
    Status copy_words(std::span<const TileView> tiles, std::uint8_t* to, const UploadSource& source,
                      cudaStream_t stream);

    int ordinal_;
    TargetTables tables_;
    MakeLengthTables make_length_tables_;
    PinnedArray<std::uint8_t> tables_host_;  // all tables of a chunk, as they lie on the device
    PinnedArray<std::uint8_t> staging_[2];
    int next_staging_ = 0;
    Event copied_[2];
};

}  // namespace warpseq::cuda
