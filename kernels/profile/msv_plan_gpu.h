// How profiles are laid out for the GPU's full MSV recurrence. Host code only, so that it is tested
// without a GPU.
//
// A group of G threads has a target and all of a profile's nodes, two in a 32-bit register: thread
// t's register r holds node t R + r in its low half and node (G + t) R + r in its high half (nodes
// counted from 0). The tables of a profile have, for each residue code, what each thread loads 16
// bytes at a time (a load's G threads stand together):
//
//     [code][load][thread]   first loads of four wide rows, four pairs of scores each, in the order of rows;
//                            then loads of eight narrow rows, eight pairs of costs each: rows 8..15 of every 32, if there are 16 of them
//
// A score is bias - cost as a half-precision bit pattern in sign and magnitude, a cost a byte:
// scores need no unpacking, costs need half the shared memory's bandwidth, and both are scarce:
// about a quarter of a thread's rows are narrow. Nodes behind the last cost 255.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/profile/plan7_profile.h"

namespace warpseq::cuda {

/// Of a thread's R rows, and what it loads for a residue.
constexpr bool msv_row_is_narrow(int rows, int row) { return row % 32 / 8 == 1 && row / 32 * 32 + 16 <= rows; }
constexpr int msv_narrow_loads(int rows) { return (rows + 16) / 32; }
constexpr int msv_wide_loads(int rows) { return rows / 4 - 2 * msv_narrow_loads(rows); }
/// The load that has this row.
constexpr int msv_load_of_row(int rows, int row) {
    return msv_row_is_narrow(rows, row) ? msv_wide_loads(rows) + row / 32 : row / 4 - 2 * ((row + 16) / 32);
}

struct MsvShape {
    int group_threads;    // G
    int rows_per_thread;  // R: a multiple of 4
    constexpr int nodes() const { return 2 * group_threads * rows_per_thread; }
    constexpr int loads() const { return msv_wide_loads(rows_per_thread) + msv_narrow_loads(rows_per_thread); }
    constexpr std::size_t table_words() const {
        return static_cast<std::size_t>(kResidueTableSize * loads() * group_threads * 4);
    }
    bool operator==(const MsvShape&) const = default;
};

/// All shapes there are an instance of, nodes rising.
std::span<const MsvShape> msv_shapes();

/// The greatest bias that the kernels take: no sum reaches 255 before it is an overflow. Log-odds
/// of amino acids stay far below.
inline constexpr int kMsvHighestBias = 64;

/// What Hopper's blocks may have, but for a little; A100's have 163 KiB, smaller GPUs' 99.
inline constexpr std::size_t kMsvTableBytes = std::size_t{224} << 10;

/// A profile as the kernels find it.
struct MsvDeviceProfile {
    std::uint32_t first_word;  // of its table, into MsvTables::words(); a multiple of 4
    std::uint32_t first_best;  // into MsvTables::best_scores(): the best score that any node gives a residue code
    std::int32_t length, bias, enter, end;
};

/// A batch of profiles. Immutable.
class MsvTables {
   public:
    /// `most_table_bytes`: shared memory that a block may have on the GPU; shapes with larger
    /// tables are not used. `shape`: only with this shape or, where a profile is longer, without
    /// one.
    explicit MsvTables(std::span<const MsvProfile* const> profiles, std::size_t most_table_bytes = kMsvTableBytes,
                       const MsvShape* shape = nullptr);

    std::span<const MsvDeviceProfile> profiles() const { return profiles_; }
    /// Index into msv_shapes() of each profile; msv_shapes().size(): it fits none, its table is its
    /// costs as they stand, four to a word.
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
