// Every vector kernel for AVX-512 with BW, VL and VBMI: the tables from which a back end is chosen at run time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "kernels/pair/pair_directions_simd.h"
#include "kernels/pair/pair_sweep_table_simd.h"
#include "kernels/profile/forward_backward_simd.h"
#include "kernels/profile/msv_filter.h"
#include "kernels/profile/profile_filter_table_simd.h"
#include "kernels/profile/viterbi_filter.h"
#include "kernels/simd/avx512.h"
#include "kernels/simd/kernel_table.h"
#include "libcore/sequence/tile.h"

#if WARPSEQ_X86
WARPSEQ_TARGET_BEGIN("avx512f,avx512bw,avx512vl,avx512vbmi")
#include "kernels/pair/pair_sweep_kernels_simd.h"
#include "kernels/profile/forward_backward_kernels_simd.h"
#include "kernels/profile/profile_filter_kernels_simd.h"
#include "kernels/simd/kernel_table_simd.h"
WARPSEQ_TARGET_END

namespace warpseq {
namespace {
using Set = simd::Avx512;
}  // namespace

// 6 columns: measured, docs/lab-notes.md.
constinit const KernelTable kAvx512Kernels = simd::kernel_table<Set, 6>(CpuBackend::kAvx512);

constinit const ProfileFilterTable kAvx512ProfileFilters = [] {
    ProfileFilterTable table = simd::profile_filter_table_interleaved<Set, 24, 18>(CpuBackend::kAvx512);
    table.interleaved_ssv = simd::interleaved_ssv<Set::I8>;
    return table;
}();

namespace {
using F = simd::Avx512::F32;
constinit const GroupKernels kTwoVectors = simd::ForwardBackwardKernels<F, 2>::kernels();
constinit const GroupKernels kOneVector = simd::ForwardBackwardKernels<F, 1>::kernels();
constinit const GroupKernels* const kGroups[] = {&kTwoVectors, &kOneVector, &kSse41SingleTarget};
}  // namespace

constinit const ForwardBackwardTable kAvx512ForwardBackward = {kGroups, std::size(kGroups), simd::mixture_odds<F>};

constinit const PairSweepTable kAvx512PairSweep = simd::pair_sweep_table<simd::Avx512>(CpuBackend::kAvx512);

}  // namespace warpseq
#endif
