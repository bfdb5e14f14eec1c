// The vector operations of SSE4.1 as a table for simd_test.cpp.
#include "kernels/simd/sse41.h"
#include "tests/kernels/simd/simd_operations.h"

#if WARPSEQ_X86
WARPSEQ_TARGET_BEGIN("sse4.1")
#include "tests/kernels/simd/simd_operations_table.h"
WARPSEQ_TARGET_END

namespace warpseq::testing {
constinit const SetOperations kSse41Operations = WrappedSet<simd::Sse41>::operations();
}
#endif
