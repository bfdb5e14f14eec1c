// The profile filters' kernels for AVX-512 with BW, VL and VBMI.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/cpu/profile_filter_table.h"
#include "kernels/cpu/simd_avx512.h"
#include "kernels/msv_filter.h"
#include "kernels/viterbi_filter.h"
#include "libcore/tile.h"

#if WARPSEQ_X86
WARPSEQ_TARGET_BEGIN("avx512f,avx512bw,avx512vl,avx512vbmi")
#include "kernels/cpu/profile_filter_kernels.h"
WARPSEQ_TARGET_END

namespace warpseq {
namespace {
using Set = simd::Avx512;
constexpr std::size_t kMostBandVectors = 24;
using Bands = simd::SingleHitBands<Set::I8, std::make_index_sequence<kMostBandVectors>>;
}  // namespace

constinit const ProfileFilterTable kAvx512ProfileFilters = {
    CpuBackend::kAvx512,
    sizeof(Set::I8::Vector),
    kMostBandVectors,
    Bands::kBands,
    Bands::kWhole,
    simd::interleaved_single_hit<Set::I8>,
    simd::multihit<Set::U8>,
    simd::viterbi<Set::I16>,
    simd::interleaved_viterbi<Set::I16>,
    Set::I16::fill_table,
    18,
};

}  // namespace warpseq
#endif
