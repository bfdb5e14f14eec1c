// The vector operations of plain C++ as a table for simd_test.cpp.
#include "kernels/simd/portable.h"
#include "tests/kernels/simd/simd_operations.h"

#include "tests/kernels/simd/simd_operations_table.h"

namespace warpseq::testing {
constinit const SetOperations kPortableOperations = WrappedSet<simd::Portable>::operations();
}
