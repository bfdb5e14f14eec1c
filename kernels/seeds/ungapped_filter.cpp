#include "kernels/seeds/ungapped_filter.h"

#include "kernels/profile/profile_filter_table_simd.h"
#include "kernels/seeds/ungapped_filter_reference.h"
#include "kernels/seeds/ungapped_filter_simd.h"

namespace warpseq {

std::unique_ptr<UngappedFilter> make_ungapped_filter(CpuBackend backend,
                                                     std::span<const std::span<const ResidueCode>> queries,
                                                     const SubstitutionMatrix& matrix) {
    const ProfileFilterTable* const kernels = profile_filter_table(backend);
    return kernels ? make_simd_ungapped_filter(*kernels, queries, matrix)
                   : make_reference_ungapped_filter(queries, matrix);
}

}  // namespace warpseq
