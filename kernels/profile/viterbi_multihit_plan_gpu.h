// The layout of profiles for the GPU's Viterbi multihit kernel. This is host code only, so that it
// is tested without a GPU.
//
// T threads compute one target: 8, 16 or 32 threads of a warp, or several warps of a block. Thread
// t holds the nodes t R .. t R + R - 1, counted from 0. ViterbiMultihitLayout has the places in a
// profile's tables. Nodes behind the last have minus infinity everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/gpu/host_device.h"
#include "libcore/profile/plan7_profile.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq::cuda {

/// Fields of node k in the table of transitions. Transitions into a match state are those into node
/// k + 1, because the thread of node k has the values that are added to them.
enum ViterbiMultihitField : int {
    kEnter,
    kNextMatchMatch,
    kNextInsertMatch,
    kNextDeleteMatch,
    kMatchDelete,
    kMatchInsert,
    kInsertInsert,
    kDeleteDelete
};
inline constexpr int kViterbiMultihitFields = 8;

/// Match scores that a load of 16 bytes holds.
inline constexpr int kViterbiMultihitLoadScores = 8;

/// The places of a profile's numbers in its tables, for T threads with R nodes each. Host and
/// device share it. Entries are 16-bit integers. The tables are
///
///     transitions    [field][r][t]              of node t R + r
///     match scores   [code][load][t][r % 8]     of node t R + r in load r / 8, so that a thread
///                                               loads 8 nodes' scores at a time
struct ViterbiMultihitLayout {
    int threads;           // T
    int nodes_per_thread;  // R

    /// Returns the number of loads of a thread for a residue code.
    WARPSEQ_HOST_DEVICE constexpr int loads() const {
        return (nodes_per_thread + kViterbiMultihitLoadScores - 1) / kViterbiMultihitLoadScores;
    }
    /// Returns the place of thread 0's load, in loads.
    WARPSEQ_HOST_DEVICE constexpr std::ptrdiff_t load_place(std::uint32_t code, int load) const {
        return static_cast<std::ptrdiff_t>(
            (code * static_cast<std::uint32_t>(loads()) + static_cast<std::uint32_t>(load)) *
            static_cast<std::uint32_t>(threads));
    }
    /// Returns the place of a transition of thread 0's node r, in entries.
    WARPSEQ_HOST_DEVICE constexpr std::ptrdiff_t transition_place(int field, int r) const {
        return static_cast<std::ptrdiff_t>((field * nodes_per_thread + r) * threads);
    }
};

struct ViterbiMultihitShape {
    int threads;           // T
    int nodes_per_thread;  // R
    constexpr ViterbiMultihitLayout layout() const { return {threads, nodes_per_thread}; }
    constexpr int nodes() const { return threads * nodes_per_thread; }
    constexpr std::size_t match_entries() const {
        return static_cast<std::size_t>(kResidueTableSize * layout().loads() * threads * kViterbiMultihitLoadScores);
    }
    bool operator==(const ViterbiMultihitShape&) const = default;
};

/// Returns the shapes of all kernel instances, in ascending order of nodes.
std::span<const ViterbiMultihitShape> viterbi_multihit_shapes();

/// A profile in the form that the kernels take. Its table entries have 16 bits.
struct ViterbiMultihitProfile {
    std::uint64_t first_match, first_transition;  // into ViterbiMultihitTables::entries(); the first a multiple of 8
    std::int32_t length;
};

/// The tables of a batch of profiles. Immutable.
class ViterbiMultihitTables {
   public:
    /// Makes the tables. If `shape` is given, no other shape is used, and profiles that are too
    /// long for it have none.
    explicit ViterbiMultihitTables(std::span<const ViterbiProfile* const> profiles,
                                   const ViterbiMultihitShape* shape = nullptr);

    std::span<const ViterbiMultihitProfile> profiles() const { return profiles_; }
    /// Returns the index into viterbi_multihit_shapes() of each profile. It is
    /// viterbi_multihit_shapes().size() if the profile fits no shape. The profile's tables are then
    /// [field * length + node] and [code * length + node].
    std::span<const std::uint32_t> shape_of_profile() const { return shape_of_profile_; }
    std::span<const std::int16_t> entries() const { return entries_; }

   private:
    std::vector<ViterbiMultihitProfile> profiles_;
    std::vector<std::uint32_t> shape_of_profile_;
    std::vector<std::int16_t> entries_;
};

}  // namespace warpseq::cuda
