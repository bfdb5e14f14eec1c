// The layout of profiles for the GPU's Forward kernels, and the choice of a kernel for each
// profile. This is host code only, so that it is tested without a GPU.
//
// The recurrence is that of kernels/profile/forward_backward.h (multihit). The values of each state
// are multiplied by constants of the profile, so that fewer factors are left per cell. Nodes k
// count from 0. Transitions have two letters, such as md for match to delete. Let h(k) = 1 + dd(k)
// h(k + 1) and w(k) = 1 + md(k) h(k + 1). w(k) is the factor with which M(k) and all deletes that
// follow from it contribute to E. Then
//
//     m(k) = M(k) w(k)
//     i(k) = I(k) w(k) / mi(k)
//     s(k) = (value that leads from node k to M(k + 1)) / enter(k + 1)
//
//     i(k) = i'(k) ii(k) + m'(k)                       primes: the row before
//     m(k) = (B' + s'(k - 1)) odds(k, x)               odds = e(k, x) enter(k) w(k)
//     E    = sum of m(k)
//     D(k) = D(k - 1) dd(k - 1) + m(k - 1) md(k - 1)   this md is md(k) / w(k)
//     s(k) = m(k) mm(k) + i(k) im(k) + D(k) dm(k)      this mm is mm(k + 1) / (w(k) enter(k + 1)),
//                                                      and so on
//
// Thread t of a group holds the nodes t R .. t R + R - 1. It first computes D with 0 entering its
// first node. A scan over the threads then finds the value `in` that really enters there. The term
// in * pdm(k) is added to s(k), where pdm(k) is dm(k) times the product of dd from the thread's
// first node to k. The factors of the scan are products of dd, too, so they are constants. A group
// is 4 to 32 lanes of a warp, or up to 8 warps. The warps of a group exchange their sums in each
// row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/gpu/host_device.h"
#include "libcore/profile/plan7_profile.h"

namespace warpseq::cuda {

struct ForwardShape {
    int lanes;             // lanes of a warp that a group takes: 4, 8, 16 or 32
    int warps;             // warps of a group
    int nodes_per_thread;  // R
    int targets;           // targets that a group of several warps computes at a time
    /// Milliseconds that an H200 takes for 200 million residues and a model that fills the shape.
    /// They were measured and serve to choose a shape.
    double milliseconds = 0;
    int threads() const { return lanes * warps; }
    int nodes() const { return threads() * nodes_per_thread; }
    bool operator==(const ForwardShape&) const = default;
};

inline constexpr int kMostForwardWarps = 8;
inline constexpr int kMostForwardNodesPerThread = 16;
/// Returns the number of warps that a multiprocessor holds. It depends on the registers that a
/// thread's nodes need. A thread gets 128, 168 or 255 registers.
constexpr int forward_resident_warps(int nodes_per_thread, int targets) {
    const int registers = targets == 1 ? 30 + 12 * nodes_per_thread : 50 + 15 * nodes_per_thread;
    return registers <= 128 ? 16 : registers <= 174 ? 12 : 8;
}
/// Warps per target for models that are too long for every shape. Their state and tables are in
/// memory instead of registers.
inline constexpr int kLongForwardWarps = 8;
/// Values of a node that are kept from row to row: m, i and s.
inline constexpr int kForwardLongStates = 3;

/// Returns all shapes for which there is a kernel, except those of long models.
std::span<const ForwardShape> forward_shapes();
/// Returns the shape that takes the least time for a model of `length` nodes. If no kernel holds
/// the model in registers, the shape has kLongForwardWarps warps and as many nodes per thread as
/// needed.
ForwardShape choose_forward_shape(int length);

/// The kinds of coefficients. They are stored as [kind][node of the thread][thread].
enum ForwardCoefficient {
    kForwardMatchMatch,
    kForwardInsertMatch,
    kForwardDeleteMatch,
    kForwardInsertInsert,
    kForwardMatchDelete,
    kForwardDeleteDelete,
    kForwardEnteringDelete,  // pdm
    kForwardCoefficients
};
inline constexpr int kForwardScanLevels = 5;

/// The offsets of the parts of a profile's numbers, in floats from its first number. Each part
/// begins at a multiple of 32.
struct ForwardLayout {
    std::size_t coefficients;  // kForwardCoefficients * R * threads
    /// Factors of the scan, at [level][thread]: the product of dd over the nodes of the 2^level
    /// threads up to this one, or 0 if the warp has fewer threads up to it.
    std::size_t scan;
    std::size_t lead;  // [thread]: product of dd over the threads of its warp before it
    /// At [warp w][warp v, 32 of them]: the product of dd over the warps between v and w, or 0 if v
    /// >= w.
    std::size_t warp_deletes;
    std::size_t warp_sums;  // same layout: factor of a delete that leaves v in s of the last node before w
    std::size_t odds;       // [residue code][R / 4, rounded up][thread][4 nodes]
    std::size_t end;

    WARPSEQ_HOST_DEVICE constexpr ForwardLayout(int threads, int warps, int nodes_per_thread) {
        const auto t = static_cast<std::size_t>(threads), w = static_cast<std::size_t>(warps),
                   r = static_cast<std::size_t>(nodes_per_thread);
        coefficients = 0;
        scan = round(kForwardCoefficients * r * t);
        lead = scan + round(kForwardScanLevels * t);
        warp_deletes = lead + round(t);
        warp_sums = warp_deletes + 32 * w;
        odds = warp_sums + 32 * w;
        end = odds + round(kResidueTableSize * ((r + 3) / 4) * t * 4);
    }
    WARPSEQ_HOST_DEVICE static constexpr std::size_t round(std::size_t floats) { return (floats + 31) / 32 * 32; }
};

/// The tables of a batch of profiles in host memory, ready for any GPU. Immutable, so threads may
/// share them.
class ForwardTables {
   public:
    struct Entry {
        ForwardShape shape;
        int length = 0;
        std::size_t first = 0;  // into numbers()
        bool bounded = false;   // false: the margin is not proven for this profile, and the device returns infinity
    };

    /// Makes the tables. If `shape` is given, every profile that fits it uses it, for tests and
    /// tuning.
    explicit ForwardTables(std::span<const ForwardProfile* const> profiles, const ForwardShape* shape = nullptr);

    std::span<const Entry> entries() const { return entries_; }
    std::span<const float> numbers() const { return numbers_; }

   private:
    std::vector<Entry> entries_;
    std::vector<float> numbers_;
};

}  // namespace warpseq::cuda
