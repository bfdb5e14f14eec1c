#include "kernels/backends/backend_table.h"

#include "kernels/simd/target.h"

namespace warpseq {

const BackendTable* runnable_backend_table(CpuBackend backend) {
    if (!is_runnable(backend)) return nullptr;
    switch (backend) {
        case CpuBackend::kReference: return nullptr;
        case CpuBackend::kPortable: return &kPortableTable;
#if WARPSEQ_X86
        case CpuBackend::kSse41: return &kSse41Table;
        case CpuBackend::kAvx2: return &kAvx2Table;
        case CpuBackend::kAvx512: return &kAvx512Table;
#else
        default: return nullptr;
#endif
    }
    return nullptr;
}

}  // namespace warpseq
