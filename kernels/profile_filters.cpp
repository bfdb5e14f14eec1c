// Which vector kernels of the profile filters a back end has, and how the filters are made.
#include <cassert>

#include "kernels/cpu/msv_filter.h"
#include "kernels/cpu/profile_filter_table.h"
#include "kernels/cpu/simd_target.h"
#include "kernels/cpu/viterbi_filter.h"
#include "kernels/msv_filter.h"
#include "kernels/reference/msv_filter.h"
#include "kernels/reference/viterbi_filter.h"
#include "kernels/viterbi_filter.h"

namespace warpseq {

const ProfileFilterTable* profile_filter_table(CpuBackend backend) {
    switch (backend) {
        case CpuBackend::kReference: return nullptr;
        case CpuBackend::kPortable: return &kPortableProfileFilters;
#if WARPSEQ_X86
        case CpuBackend::kSse41: return &kSse41ProfileFilters;
        case CpuBackend::kAvx2: return &kAvx2ProfileFilters;
        case CpuBackend::kAvx512: return &kAvx512ProfileFilters;
#else
        default: return nullptr;
#endif
    }
    return nullptr;
}

std::unique_ptr<MsvFilter> make_msv_filter(CpuBackend backend, std::span<const MsvProfile> profiles) {
    assert(is_runnable(backend));
    const ProfileFilterTable* const kernels = profile_filter_table(backend);
    return kernels ? make_simd_msv_filter(*kernels, profiles) : make_reference_msv_filter(profiles);
}

std::unique_ptr<ViterbiFilter> make_viterbi_filter(CpuBackend backend, const ViterbiProfile& profile) {
    assert(is_runnable(backend));
    const ProfileFilterTable* const kernels = profile_filter_table(backend);
    return kernels ? make_simd_viterbi_filter(*kernels, profile) : make_reference_viterbi_filter(profile);
}

}  // namespace warpseq
