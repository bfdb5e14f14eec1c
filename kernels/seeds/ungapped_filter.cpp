#include "kernels/seeds/ungapped_filter.h"

#include "kernels/backends/backend_table.h"
#include "kernels/seeds/ungapped_filter_reference.h"
#include "kernels/seeds/ungapped_filter_simd.h"

namespace warpseq {

std::unique_ptr<UngappedFilter> make_ungapped_filter(CpuBackend backend,
                                                     std::span<const std::span<const ResidueCode>> queries,
                                                     const SubstitutionMatrix& matrix) {
    const BackendTable* const table = runnable_backend_table(backend);
    return table ? make_simd_ungapped_filter(table->profile_filters, queries, matrix)
                 : make_reference_ungapped_filter(queries, matrix);
}

}  // namespace warpseq
