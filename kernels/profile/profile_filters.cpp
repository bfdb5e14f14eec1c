// Which vector kernels of the profile filters a back end has, and how the filters are made.
#include <cassert>

#include "kernels/profile/msv_filter.h"
#include "kernels/profile/msv_filter_reference.h"
#include "kernels/profile/msv_filter_simd.h"
#include "kernels/profile/profile_filter_table_simd.h"
#include "kernels/profile/viterbi_filter.h"
#include "kernels/profile/viterbi_filter_reference.h"
#include "kernels/profile/viterbi_filter_simd.h"
#include "kernels/simd/target.h"

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
