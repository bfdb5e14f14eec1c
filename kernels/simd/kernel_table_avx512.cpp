// Every vector kernel for AVX-512 with BW, VL and VBMI: the tables from which a back end is chosen at run time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "kernels/pair/pair_directions_simd.h"
#include "kernels/pair/pair_sweep_table_simd.h"
#include "kernels/profile/forward_backward_simd.h"
#include "kernels/profile/msv_filter.h"
#include "kernels/profile/profile_filter_table_simd.h"
#include "kernels/profile/viterbi_filter.h"
#include "kernels/simd/avx512.h"
#include "kernels/simd/kernel_table.h"
#include "libcore/sequence/tile.h"

#if WARPSEQ_X86
WARPSEQ_TARGET_BEGIN("avx512f,avx512bw,avx512vl,avx512vbmi")
#include "kernels/pair/pair_sweep_kernels_simd.h"
#include "kernels/profile/forward_backward_kernels_simd.h"
#include "kernels/profile/profile_filter_kernels_simd.h"
#include "kernels/seeds/gapped_extension_kernels_simd.h"
#include "kernels/seeds/word_hits_kernels_simd.h"
#include "kernels/smith_waterman/local_alignment_kernels_simd.h"
#include "kernels/smith_waterman/smith_waterman_kernels_simd.h"
WARPSEQ_TARGET_END

namespace warpseq {
namespace {
using Set = simd::Avx512;
constexpr std::size_t kColumns = 6;  // measured: docs/lab-notes.md
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

namespace {
constexpr std::size_t kMostBandVectors = 24;
using Bands = simd::SsvBands<Set::I8, std::make_index_sequence<kMostBandVectors>>;
}  // namespace

constinit const ProfileFilterTable kAvx512ProfileFilters = {
    CpuBackend::kAvx512,
    sizeof(Set::I8::Vector),
    kMostBandVectors,
    Bands::kBands,
    Bands::kWhole,
    simd::interleaved_ssv<Set::I8>,
    simd::msv<Set::U8>,
    simd::viterbi<Set::I16>,
    simd::interleaved_viterbi<Set::I16>,
    Set::I16::fill_table,
    18,
};

namespace {
using F = simd::Avx512::F32;
constinit const GroupKernels kTwoVectors = simd::ForwardBackwardKernels<F, 2>::kernels();
constinit const GroupKernels kOneVector = simd::ForwardBackwardKernels<F, 1>::kernels();
constinit const GroupKernels* const kGroups[] = {&kTwoVectors, &kOneVector, &kSse41SingleTarget};
}  // namespace

constinit const ForwardBackwardTable kAvx512ForwardBackward = {kGroups, std::size(kGroups), simd::mixture_odds<F>};

constinit const PairSweepTable kAvx512PairSweep = simd::pair_sweep_table<simd::Avx512>(CpuBackend::kAvx512);

}  // namespace warpseq
#endif
