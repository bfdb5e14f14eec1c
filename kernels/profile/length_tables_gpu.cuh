// Tables that the profile filters need for each chunk, with a row for each distinct target length.
// The host's own functions fill them, so that the device decides as the host would.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/gpu/device_targets.cuh"

namespace warpseq::cuda {

/// Number of MSV results below overflow.
inline constexpr std::size_t kMsvResults = 256;

/// The tables of one chunk in host memory.
class ProfileLengthTables final : public LengthTables {
   public:
    explicit ProfileLengthTables(std::span<const std::uint64_t> lengths_residues);
    std::vector<std::span<const std::uint8_t>> tables() const override;

    /// Returns the score in bits of MSV result r against null1, at [length_index * kMsvResults +
    /// r]. Scores are rounded as in the host's pipeline.
    std::span<const float> msv_bits() const { return msv_bits_; }

   private:
    std::vector<float> null_nats_;         // null1_score_nats() of each length; a length of 0 has zeros in all tables
    std::vector<std::uint8_t> msv_moves_;  // MsvProfile::move()
    std::vector<std::int16_t> viterbi_moves_;  // ViterbiProfile::move()
    std::vector<float> msv_bits_;
};

/// The tables of one chunk in device memory, each indexed by [length_index].
struct ProfileLengthsOnDevice {
    const float* null_nats;
    const std::uint8_t* msv_moves;
    const std::int16_t* viterbi_moves;
    std::span<const float> msv_bits;  // in host memory
};

/// Returns the tables of `targets`. The uploader of these targets has to use
/// make_profile_length_tables().
ProfileLengthsOnDevice profile_lengths_of(const TargetsOnDevice& targets);
std::shared_ptr<const LengthTables> make_profile_length_tables(std::span<const std::uint64_t> lengths_residues);

}  // namespace warpseq::cuda
