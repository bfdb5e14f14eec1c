#include "kernels/profile/length_tables_gpu.cuh"

#include "libcore/profile/plan7_profile.h"
#include "libcore/statistics/null_model.h"

namespace warpseq::cuda {
namespace {

template <typename T>
std::span<const std::uint8_t> bytes_of(const std::vector<T>& rows) {
    return {reinterpret_cast<const std::uint8_t*>(rows.data()), rows.size() * sizeof(T)};
}

}  // namespace

ProfileLengthTables::ProfileLengthTables(std::span<const std::uint64_t> lengths_residues) {
    for (const std::uint64_t length : lengths_residues) {
        const bool real = length > 0;  // no filter reads a target without residues
        null_nats_.push_back(real ? null1_score_nats(length) : 0);
        msv_moves_.push_back(real ? MsvProfile::move(length) : std::uint8_t{0});
        viterbi_moves_.push_back(real ? ViterbiProfile::move(length) : std::int16_t{0});
        for (std::size_t r = 0; r < kMsvResults; ++r) {
            const int units = static_cast<int>(r) - msv_moves_.back();
            msv_bits_.push_back(real ? bits_of(MsvProfile::nats_of_units(units) - null_nats_.back()) : 0);
        }
    }
}

std::vector<std::span<const std::uint8_t>> ProfileLengthTables::tables() const {
    return {bytes_of(null_nats_), bytes_of(msv_moves_), bytes_of(viterbi_moves_)};
}

std::shared_ptr<const LengthTables> make_profile_length_tables(std::span<const std::uint64_t> lengths_residues) {
    return std::make_shared<const ProfileLengthTables>(lengths_residues);
}

ProfileLengthsOnDevice profile_lengths_of(const TargetsOnDevice& targets) {
    const auto& tables = targets.length_tables_on_device;
    return {reinterpret_cast<const float*>(tables[0]), tables[1], reinterpret_cast<const std::int16_t*>(tables[2]),
            static_cast<const ProfileLengthTables&>(*targets.length_tables).msv_bits()};
}

}  // namespace warpseq::cuda
