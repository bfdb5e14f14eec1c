// The vector operations of AVX2 as a table for simd_test.cpp.
#include "kernels/simd/avx2.h"
#include "tests/kernels/simd/simd_operations.h"

#if WARPSEQ_X86
WARPSEQ_TARGET_BEGIN("avx2")
#include "tests/kernels/simd/simd_operations_table.h"
WARPSEQ_TARGET_END

namespace warpseq::testing {
constinit const SetOperations kAvx2Operations = WrappedSet<simd::Avx2>::operations();
}
#endif
