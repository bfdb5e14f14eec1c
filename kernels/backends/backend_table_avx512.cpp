// Every vector kernel for AVX-512 with BW, VL and VBMI: the table from which a back end is chosen
// at run time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "kernels/backends/backend_table.h"
#include "kernels/pair/pair_directions_simd.h"
#include "kernels/profile/msv_filter.h"
#include "kernels/profile/viterbi_filter.h"
#include "kernels/simd/avx512.h"
#include "libcore/sequence/tile.h"

#if WARPSEQ_X86
WARPSEQ_TARGET_BEGIN("avx512f,avx512bw,avx512vl,avx512vbmi")
#include "kernels/backends/kernel_table_simd.h"
#include "kernels/pair/pair_sweep_kernels_simd.h"
#include "kernels/profile/forward_backward_kernels_simd.h"
#include "kernels/profile/profile_filter_kernels_simd.h"
WARPSEQ_TARGET_END

namespace warpseq {
namespace {

using Set = simd::Avx512;
using F = Set::F32;

constinit const GroupKernels kTwoVectors = simd::ForwardBackwardKernels<F, 2>::kernels();
constinit const GroupKernels kOneVector = simd::ForwardBackwardKernels<F, 1>::kernels();
constinit const GroupKernels* const kGroups[] = {&kTwoVectors, &kOneVector, &kSse41SingleTarget};

constexpr ProfileFilterTable profile_filters() {
    ProfileFilterTable table = simd::profile_filter_table_interleaved<Set, 24, 18>(CpuBackend::kAvx512);
    table.interleaved_ssv = simd::interleaved_ssv<Set::I8>;
    return table;
}

}  // namespace

constinit const BackendTable kAvx512Table = {
    // The 6 columns were chosen by measurement (docs/lab-notes.md).
    .kernels = simd::kernel_table<Set, 6>(CpuBackend::kAvx512),
    .profile_filters = profile_filters(),
    .forward_backward = {kGroups, std::size(kGroups), simd::mixture_odds<F>},
    .pair_sweep = simd::pair_sweep_table<Set>(CpuBackend::kAvx512),
};

}  // namespace warpseq
#endif
