// The profile filters' kernels for SSE4.1.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/cpu/profile_filter_table.h"
#include "kernels/cpu/simd_sse41.h"
#include "kernels/msv_filter.h"
#include "kernels/viterbi_filter.h"
#include "libcore/tile.h"

#if WARPSEQ_X86
WARPSEQ_TARGET_BEGIN("sse4.1")
#include "kernels/cpu/profile_filter_kernels.h"
WARPSEQ_TARGET_END

namespace warpseq {
namespace {
using Set = simd::Sse41;
constexpr std::size_t kMostBandVectors = 12;
using Bands = simd::SingleHitBands<Set::I8, std::make_index_sequence<kMostBandVectors>>;
}  // namespace

constinit const ProfileFilterTable kSse41ProfileFilters = {
    CpuBackend::kSse41,
    sizeof(Set::I8::Vector),
    kMostBandVectors,
    Bands::kBands,
    Bands::kWhole,
    nullptr,
    simd::multihit<Set::U8>,
    simd::viterbi<Set::I16>,
    nullptr,
    nullptr,
    0,
};

}  // namespace warpseq
#endif
