// Every vector kernel for any processor: the tables from which a back end is chosen at run time.
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
#include "kernels/simd/kernel_table.h"
#include "kernels/simd/portable.h"
#include "libcore/sequence/tile.h"

#include "kernels/pair/pair_sweep_kernels_simd.h"
#include "kernels/profile/forward_backward_kernels_simd.h"
#include "kernels/profile/profile_filter_kernels_simd.h"
#include "kernels/simd/kernel_table_simd.h"

namespace warpseq {
namespace {
using Set = simd::Portable;
}  // namespace

// 4 columns: measured, docs/lab-notes.md.
constinit const KernelTable kPortableKernels = simd::kernel_table<Set, 4>(CpuBackend::kPortable);

constinit const ProfileFilterTable kPortableProfileFilters = simd::profile_filter_table<Set, 12>(CpuBackend::kPortable);

namespace {
using F = simd::Portable::F32;
constinit const GroupKernels kOneVector = simd::ForwardBackwardKernels<F, 1>::kernels();
constinit const GroupKernels* const kGroups[] = {&kOneVector};
}  // namespace

constinit const ForwardBackwardTable kPortableForwardBackward = {kGroups, std::size(kGroups), simd::mixture_odds<F>};

constinit const PairSweepTable kPortablePairSweep = simd::pair_sweep_table<simd::Portable>(CpuBackend::kPortable);

}  // namespace warpseq
