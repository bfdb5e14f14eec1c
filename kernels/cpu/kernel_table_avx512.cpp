// The kernels for AVX-512 with BW, VL and VBMI.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/simd_avx512.h"
#include "libcore/tile.h"

#if WARPSEQ_X86
WARPSEQ_TARGET_BEGIN("avx512f,avx512bw,avx512vl,avx512vbmi")
#include "kernels/cpu/gapped_extension_kernels.h"
#include "kernels/cpu/local_alignment_kernels.h"
#include "kernels/cpu/smith_waterman_kernels.h"
#include "kernels/cpu/word_hits_kernels.h"
WARPSEQ_TARGET_END

namespace warpseq {
namespace {
using Set = simd::Avx512;
constexpr std::size_t kColumns = 6;  // measured: docs/performance.md
}  // namespace

constinit const KernelTable kAvx512Kernels = {
    CpuBackend::kAvx512,
    sizeof(Set::I8::Vector),
    kColumns,
    simd::decode_columns<Set>,
    simd::interleaved<Set, Set::I8, kColumns>,
    simd::interleaved<Set, Set::I16, kColumns>,
    simd::fill_profile<Set>,
    simd::striped<Set::I8>,
    simd::striped<Set::I16>,
    simd::striped<Set::I32>,
    simd::align_columns<Set::I16>,
    simd::align_columns<Set::I32>,
    simd::extend_row<Set>,
    simd::find_word_hits<Set::I8>,
    simd::find_word_hits<Set::I16>,
};

}  // namespace warpseq
#endif
