// The tables of all vector kernels, one table for each instruction set. docs/adding.md lists the
// files that a new instruction set touches.
#pragma once

#include "kernels/backend.h"
#include "kernels/backends/kernel_table.h"
#include "kernels/pair/pair_sweep_table_simd.h"
#include "kernels/profile/forward_backward_simd.h"
#include "kernels/profile/profile_filter_table_simd.h"

namespace warpseq {

struct BackendTable {
    KernelTable kernels;
    ProfileFilterTable profile_filters;
    ForwardBackwardTable forward_backward;
    PairSweepTable pair_sweep;
};

/// Returns the table of a back end. Returns nullptr for kReference and for a back end that this
/// processor cannot run.
const BackendTable* runnable_backend_table(CpuBackend backend);

// Each table is defined in kernels/backends/backend_table_<instruction set>.cpp.
extern const BackendTable kPortableTable;
extern const BackendTable kSse41Table;
extern const BackendTable kAvx2Table;
extern const BackendTable kAvx512Table;

}  // namespace warpseq
