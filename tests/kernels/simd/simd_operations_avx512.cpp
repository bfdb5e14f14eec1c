// The vector operations of AVX-512 as a table for simd_test.cpp.
#include "kernels/simd/avx512.h"
#include "tests/kernels/simd/simd_operations.h"

#if WARPSEQ_X86
WARPSEQ_TARGET_BEGIN("avx512f,avx512bw,avx512vl,avx512vbmi")
#include "tests/kernels/simd/simd_operations_table.h"
WARPSEQ_TARGET_END

namespace warpseq::testing {
constinit const SetOperations kAvx512Operations = WrappedSet<simd::Avx512>::operations();
}
#endif
