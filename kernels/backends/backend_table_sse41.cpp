// Every vector kernel for SSE4.1: the table from which a back end is chosen at run time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "kernels/backends/backend_table.h"
#include "kernels/pair/pair_directions_simd.h"
#include "kernels/profile/msv_filter.h"
#include "kernels/profile/viterbi_filter.h"
#include "kernels/simd/sse41.h"
#include "libcore/sequence/tile.h"

#if WARPSEQ_X86
WARPSEQ_TARGET_BEGIN("sse4.1")
#include "kernels/backends/kernel_table_simd.h"
#include "kernels/pair/pair_sweep_kernels_simd.h"
#include "kernels/profile/forward_backward_kernels_simd.h"
#include "kernels/profile/profile_filter_kernels_simd.h"
WARPSEQ_TARGET_END

namespace warpseq {

constinit const GroupKernels kSse41SingleTarget = simd::ForwardBackwardKernels<simd::Sse41::F32, 1>::kernels();

namespace {

using Set = simd::Sse41;
using F = Set::F32;

constinit const GroupKernels kTwoVectors = simd::ForwardBackwardKernels<F, 2>::kernels();
constinit const GroupKernels* const kGroups[] = {&kTwoVectors, &kSse41SingleTarget};

}  // namespace

constinit const BackendTable kSse41Table = {
    // The 4 columns were chosen by measurement (docs/lab-notes.md).
    .kernels = simd::kernel_table<Set, 4>(CpuBackend::kSse41),
    .profile_filters = simd::profile_filter_table<Set, 12>(CpuBackend::kSse41),
    .forward_backward = {kGroups, std::size(kGroups), simd::mixture_odds<F>},
    .pair_sweep = simd::pair_sweep_table<Set>(CpuBackend::kSse41),
};

}  // namespace warpseq
#endif
