// Makes the profile filters of a back end.
#include <cassert>

#include "kernels/backends/backend_table.h"
#include "kernels/profile/msv_filter.h"
#include "kernels/profile/msv_filter_reference.h"
#include "kernels/profile/msv_filter_simd.h"
#include "kernels/profile/viterbi_filter.h"
#include "kernels/profile/viterbi_filter_reference.h"
#include "kernels/profile/viterbi_filter_simd.h"

namespace warpseq {

std::unique_ptr<MsvFilter> make_msv_filter(CpuBackend backend, std::span<const MsvProfile> profiles) {
    assert(is_runnable(backend));
    const BackendTable* const table = runnable_backend_table(backend);
    return table ? make_simd_msv_filter(table->profile_filters, profiles) : make_reference_msv_filter(profiles);
}

std::unique_ptr<ViterbiFilter> make_viterbi_filter(CpuBackend backend, const ViterbiProfile& profile) {
    assert(is_runnable(backend));
    const BackendTable* const table = runnable_backend_table(backend);
    return table ? make_simd_viterbi_filter(table->profile_filters, profile) : make_reference_viterbi_filter(profile);
}

}  // namespace warpseq
