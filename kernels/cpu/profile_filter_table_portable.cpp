// The profile filters' kernels in plain C++.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/cpu/profile_filter_table.h"
#include "kernels/cpu/simd_portable.h"
#include "kernels/msv_filter.h"
#include "kernels/viterbi_filter.h"
#include "libcore/tile.h"

#include "kernels/cpu/profile_filter_kernels.h"

namespace warpseq {
namespace {
using Set = simd::Portable;
constexpr std::size_t kMostBandVectors = 12;
using Bands = simd::SingleHitBands<Set::I8, std::make_index_sequence<kMostBandVectors>>;
}  // namespace

constinit const ProfileFilterTable kPortableProfileFilters = {
    CpuBackend::kPortable,
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
