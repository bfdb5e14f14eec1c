// Every vector kernel for any processor: the table from which a back end is chosen at run time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "kernels/backends/backend_table.h"
#include "kernels/pair/pair_directions_simd.h"
#include "kernels/profile/msv_filter.h"
#include "kernels/profile/viterbi_filter.h"
#include "kernels/simd/portable.h"
#include "libcore/sequence/tile.h"

#include "kernels/backends/kernel_table_simd.h"
#include "kernels/pair/pair_sweep_kernels_simd.h"
#include "kernels/profile/forward_backward_kernels_simd.h"
#include "kernels/profile/profile_filter_kernels_simd.h"

namespace warpseq {
namespace {

using Set = simd::Portable;
using F = Set::F32;

constinit const GroupKernels kOneVector = simd::ForwardBackwardKernels<F, 1>::kernels();
constinit const GroupKernels* const kGroups[] = {&kOneVector};

}  // namespace

constinit const BackendTable kPortableTable = {
    // The 4 columns were chosen by measurement (docs/lab-notes.md).
    .kernels = simd::kernel_table<Set, 4>(CpuBackend::kPortable),
    .profile_filters = simd::profile_filter_table<Set, 12>(CpuBackend::kPortable),
    .forward_backward = {kGroups, std::size(kGroups), simd::mixture_odds<F>},
    .pair_sweep = simd::pair_sweep_table<Set>(CpuBackend::kPortable),
};

}  // namespace warpseq
