// The vector operations of plain C++ as a table for simd_test.cpp.
#include "kernels/cpu/simd_portable.h"
#include "tests/kernels/simd_operations.h"

#include "tests/kernels/simd_operations_table.h"

namespace warpseq::testing {
constinit const SetOperations kPortableOperations = WrappedSet<simd::Portable>::operations();
}
