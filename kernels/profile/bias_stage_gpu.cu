// Each pair has a thread. After each word of six residues the two states' values are scaled by a
// power of two, which is exact. The powers are counted, and one logarithm is taken at the end.
// Neighbours in a list are of like length, so a warp's threads end together.
#include "kernels/profile/bias_stage_gpu.cuh"

#include "kernels/gpu/launch.cuh"
#include "kernels/gpu/streams.cuh"
#include "libcore/sequence/tile.h"

namespace warpseq::cuda {
namespace {

constexpr int kBlockThreads = 256;
/// Words in flight per thread.
constexpr int kAhead = 4;

__global__ void __launch_bounds__(kBlockThreads)
    bias_kernel(const std::uint32_t* words, const DeviceLane* lanes, DeviceWorkList list, const float* numbers,
                float* results) {
    const std::uint32_t count = *list.count;
    for (std::uint32_t item = blockIdx.x * blockDim.x + threadIdx.x; item < count; item += gridDim.x * blockDim.x) {
        const std::uint32_t slot = list.slots[item], profile = slot / list.lane_count;
        const DeviceLane target = lanes[slot - profile * list.lane_count];
        const float* const odds = numbers + std::size_t{profile} * kBiasNumbers;
        const float stay_composed = __ldg(odds + kBiasStay), leave_composed = __ldg(odds + kBiasLeave);
        // The same floats as in BiasFilter.
        const float stay =
            __fdiv_rn(static_cast<float>(target.residues), static_cast<float>(std::uint64_t{target.residues} + 1));
        const float leave = __fsub_rn(1.0f, stay);

        const std::uint32_t* next = words + target.first_word;
        std::uint32_t unread = (target.residues + kResiduesPerWord - 1) / kResiduesPerWord;
        const auto read = [&] {
            if (unread == 0) return kPaddingWord;
            --unread;
            const std::uint32_t word = __ldg(next);
            next += target.word_stride;
            return word;
        };
        std::uint32_t ahead[kAhead];
#pragma unroll
        for (std::uint32_t& word : ahead) word = read();

        // The values after the first residue need no transition before them, so the first residue
        // is handled apart.
        float background = 0.999f, composed = 0.001f * __ldg(odds + (ahead[0] & kResidueMask));
        ahead[0] >>= kBitsPerResidue;
        std::uint32_t in_word = kResiduesPerWord - 1;  // residues left in ahead[0]
        int exponent = 0;
        for (std::uint32_t left = target.residues - 1; left > 0;) {
#pragma unroll
            for (int at = 0; at < kAhead; ++at) {
                std::uint32_t word = ahead[at];
                ahead[at] = read();
                const std::uint32_t here = min(in_word, left);
                in_word = kResiduesPerWord;
                left -= here;
                for (std::uint32_t r = 0; r < here; ++r, word >>= kBitsPerResidue) {
                    const float from_background = background;
                    background = fmaf(from_background, stay, composed * leave_composed);
                    composed =
                        fmaf(from_background, leave, composed * stay_composed) * __ldg(odds + (word & kResidueMask));
                }
                const int power = min(static_cast<int>(__float_as_uint(fmaxf(background, composed)) >> 23) - 127, 126);
                const float factor = __uint_as_float(static_cast<unsigned>(127 - power) << 23);
                background *= factor;
                composed *= factor;
                exponent += power;
            }
        }
        const double log_sum =
            log(static_cast<double>(background) + static_cast<double>(composed)) + exponent * 0.693147180559945309;
        const double score = log_sum + static_cast<double>(target.residues) * log(static_cast<double>(stay)) +
                             log(static_cast<double>(static_cast<float>(1.0 - static_cast<double>(stay))));
        results[item] = isfinite(score) ? static_cast<float>(score) : INFINITY;
    }
}

}  // namespace

Status BiasStage::prepare(const BiasTables& tables, cudaStream_t stream) {
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
    const Result<int> multiprocessors = count_multiprocessors(ordinal_);
    if (!multiprocessors.ok()) return multiprocessors.status();
    multiprocessors_ = *multiprocessors;
    EnqueuedWork copies(ordinal_);
    WARPSEQ_TRY(copy_to_device(numbers_, tables.numbers(), ordinal_, stream, "profiles"));
    return copies.wait(stream, "cannot copy profiles");
}

Status BiasStage::score(const TargetsOnDevice& targets, const DeviceWorkList& list, float* results,
                        cudaStream_t stream) {
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
    if (list.most == 0) return {};
    const unsigned blocks = blocks_for(list.most, kBlockThreads, static_cast<std::uint64_t>(multiprocessors_) * 16);
    bias_kernel<<<blocks, kBlockThreads, 0, stream>>>(targets.words.data(), targets.lanes_table.data(), list,
                                                      numbers_.data(), results);
    return cuda_status(cudaGetLastError(), ordinal_, "cannot start the bias filter");
}

}  // namespace warpseq::cuda
