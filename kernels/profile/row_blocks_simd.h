// Forward and Backward of targets that are so long that they are computed in blocks of rows
// (RowBlocks in kernels/profile/forward_backward.h), for the vector back ends. Only the state that
// leads into each block is kept. forward() and backward() compute the blocks of a target one after
// the other, because each begins where the one before ends. read() computes several of them again
// side by side, as the members of a group.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/profile/target_group_simd.h"

namespace warpseq {

/// The passes over blocks of rows for one profile.
class RowBlockPasses {
   public:
    /// Makes passes over blocks of `rows_per_block` rows. References have to outlive it.
    RowBlockPasses(const ForwardBackwardTable& table, const StripedProfile& profile, std::size_t rows_per_block)
        : table_(table), profile_(profile), rows_per_block_(rows_per_block) {}

    /// Whether a target is so long that it is computed in blocks.
    bool takes(std::size_t residues) const { return residues > rows_per_block_; }
    /// Returns the bytes that the task of a target in blocks holds between calls.
    std::uint64_t task_bytes(std::size_t residues) const {
        return block_count(residues) * 2 * state_floats() * sizeof(float) + residues;  // if one in 8 rows is rescaled
    }
    /// Does what ForwardBackward::forward() does for one target.
    void forward(ForwardTask& task, GroupWorkspace& work) const;
    /// Does what ForwardBackward::backward() does for one target.
    void backward(ForwardTask& task, GroupWorkspace& work) const;
    /// Does what ForwardBackward::read_special_states() does.
    void read(const ForwardTask& task, GroupWorkspace& work, const ForwardBackward::TakeRows& take) const;

   private:
    std::size_t block_count(std::size_t residues) const { return (residues + rows_per_block_ - 1) / rows_per_block_; }
    /// Returns the floats of the state that leads into a block of rows: a row of three kinds, and a
    /// few more numbers.
    std::size_t state_floats() const {
        static_assert(static_cast<std::size_t>(GroupSpecial::kKinds) == GroupCarried::kKinds);
        return 12 * profile_.stripes + GroupSpecial::kKinds;
    }

    const ForwardBackwardTable& table_;
    const StripedProfile& profile_;
    std::size_t rows_per_block_;
};

}  // namespace warpseq
