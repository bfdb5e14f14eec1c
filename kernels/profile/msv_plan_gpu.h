// The layout of profiles for the GPU's full MSV recurrence. This is host code only, so that it is
// tested without a GPU.
//
// A group of G threads computes one target with all nodes of a profile. A 32-bit register holds two
// nodes. Register r of thread t holds node t R + r in its low half and node (G + t) R + r in its
// high half (nodes count from 0). A thread loads 16 bytes of a profile's table at a time. The table
// is ordered so that the G threads of a group read neighbouring 16 bytes:
//
//     [code][load][thread]   first loads of four wide rows, four pairs of scores each, in the
//                            order of rows; then loads of eight narrow rows, eight pairs of
//                            costs each: rows 8..15 of every 32, if there are 16 of them
//
// A row is wide or narrow. A wide row has scores: bias - cost, as half-precision bit patterns in
// sign and magnitude. A narrow row has costs, which are bytes. Scores need no instructions for
// unpacking, and costs need half the bandwidth of shared memory. Both resources are scarce, so
// about a quarter of a thread's rows are narrow. Nodes behind the last one have cost kMsvCeiling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/gpu/host_device.h"
#include "libcore/profile/plan7_profile.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq::cuda {

/// Rows of a block, and its narrow rows. These are the second eight of a block that has them all.
inline constexpr int kMsvBlockRows = 32, kMsvNarrowRows = 8;
/// Rows that a load of 16 bytes holds: four wide ones, or eight narrow ones.
inline constexpr int kMsvWideLoadRows = 4, kMsvNarrowLoadRows = 8;

/// The layout of a profile's table for G threads a group and R rows a thread. Host and device share
/// it. Loads are of 16 bytes.
struct MsvLayout {
    int threads;  // G
    int rows;     // R

    /// Whether a row of a thread is narrow.
    WARPSEQ_HOST_DEVICE constexpr bool is_narrow(int row) const {
        return row % kMsvBlockRows / kMsvNarrowRows == 1 &&
               row / kMsvBlockRows * kMsvBlockRows + 2 * kMsvNarrowRows <= rows;
    }
    WARPSEQ_HOST_DEVICE constexpr int narrow_loads() const { return narrow_loads_before(rows); }
    WARPSEQ_HOST_DEVICE constexpr int wide_loads() const { return rows / kMsvWideLoadRows - 2 * narrow_loads(); }
    WARPSEQ_HOST_DEVICE constexpr int loads() const { return wide_loads() + narrow_loads(); }
    /// Returns the number of the load that has this row.
    WARPSEQ_HOST_DEVICE constexpr int load_of(int row) const {
        return is_narrow(row) ? wide_loads() + row / kMsvBlockRows
                              : row / kMsvWideLoadRows - 2 * narrow_loads_before(row);
    }
    /// Returns the number of loads of a group for a residue code, which stand side by side.
    WARPSEQ_HOST_DEVICE constexpr int letter_loads() const { return loads() * threads; }
    WARPSEQ_HOST_DEVICE constexpr int table_loads() const { return kResidueTableSize * letter_loads(); }

   private:
    /// Returns the number of narrow loads whose rows all come before `row`.
    WARPSEQ_HOST_DEVICE static constexpr int narrow_loads_before(int row) {
        return (row + 2 * kMsvNarrowRows) / kMsvBlockRows;
    }
};

struct MsvShape {
    int group_threads;    // G
    int rows_per_thread;  // R: a multiple of 4
    constexpr MsvLayout layout() const { return {group_threads, rows_per_thread}; }
    constexpr int nodes() const { return 2 * group_threads * rows_per_thread; }
    constexpr std::size_t table_words() const { return static_cast<std::size_t>(layout().table_loads()) * 4; }
    bool operator==(const MsvShape&) const = default;
};

/// Returns the shapes of all kernel instances, in ascending order of nodes.
std::span<const MsvShape> msv_shapes();

/// The greatest bias that the kernels accept. With it no sum reaches kMsvCeiling without being
/// an overflow.
/// Log-odds of amino acids give far lower biases.
inline constexpr int kMsvHighestBias = 64;

/// Most bytes of a table. This is a little less than the shared memory that a block may have on
/// Hopper. An A100 allows 163 KiB, and smaller GPUs allow 99 KiB.
inline constexpr std::size_t kMsvTableBytes = std::size_t{224} << 10;

/// A profile in the form that the kernels take.
struct MsvDeviceProfile {
    std::uint32_t first_word;  // of its table, into MsvTables::words(); a multiple of 4
    std::uint32_t first_best;  // into MsvTables::best_scores(): the best score of any node for each residue code
    std::int32_t length, bias, enter, end;
};

/// The tables of a batch of profiles. Immutable.
class MsvTables {
   public:
    /// Makes the tables. `most_table_bytes` is the shared memory that a block may have on the GPU.
    /// Shapes with larger tables are not used. If `shape` is given, no other shape is used, and
    /// profiles that are too long for it have none.
    explicit MsvTables(std::span<const MsvProfile* const> profiles, std::size_t most_table_bytes = kMsvTableBytes,
                       const MsvShape* shape = nullptr);

    std::span<const MsvDeviceProfile> profiles() const { return profiles_; }
    /// Returns the index into msv_shapes() of each profile. It is msv_shapes().size() if the
    /// profile fits no shape. The profile's table then holds its unchanged costs, four to a word.
    std::span<const std::uint32_t> shape_of_profile() const { return shape_of_profile_; }
    std::span<const std::uint32_t> words() const { return words_; }
    std::span<const std::int16_t> best_scores() const { return best_scores_; }
    int highest_bias() const { return highest_bias_; }

   private:
    std::vector<MsvDeviceProfile> profiles_;
    std::vector<std::uint32_t> shape_of_profile_, words_;
    std::vector<std::int16_t> best_scores_;
    int highest_bias_ = 0;
};

}  // namespace warpseq::cuda
