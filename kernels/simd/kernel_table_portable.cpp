// Every vector kernel for any processor: the tables from which a back end is chosen at run time.
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
#include "kernels/simd/kernel_table.h"
#include "kernels/simd/portable.h"
#include "libcore/sequence/tile.h"

#include "kernels/pair/pair_sweep_kernels_simd.h"
#include "kernels/profile/forward_backward_kernels_simd.h"
#include "kernels/profile/profile_filter_kernels_simd.h"
#include "kernels/seeds/gapped_extension_kernels_simd.h"
#include "kernels/seeds/word_hits_kernels_simd.h"
#include "kernels/smith_waterman/local_alignment_kernels_simd.h"
#include "kernels/smith_waterman/smith_waterman_kernels_simd.h"

namespace warpseq {
namespace {
using Set = simd::Portable;
constexpr std::size_t kColumns = 4;  // measured: docs/lab-notes.md
}  // namespace

constinit const KernelTable kPortableKernels = {
    CpuBackend::kPortable,
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
constexpr std::size_t kMostBandVectors = 12;
using Bands = simd::SsvBands<Set::I8, std::make_index_sequence<kMostBandVectors>>;
}  // namespace

constinit const ProfileFilterTable kPortableProfileFilters = {
    CpuBackend::kPortable,
    sizeof(Set::I8::Vector),
    kMostBandVectors,
    Bands::kBands,
    Bands::kWhole,
    nullptr,
    simd::msv<Set::U8>,
    simd::viterbi<Set::I16>,
    nullptr,
    nullptr,
    0,
};

namespace {
using F = simd::Portable::F32;
constinit const GroupKernels kOneVector = simd::ForwardBackwardKernels<F, 1>::kernels();
constinit const GroupKernels* const kGroups[] = {&kOneVector};
}  // namespace

constinit const ForwardBackwardTable kPortableForwardBackward = {kGroups, std::size(kGroups), simd::mixture_odds<F>};

constinit const PairSweepTable kPortablePairSweep = simd::pair_sweep_table<simd::Portable>(CpuBackend::kPortable);

}  // namespace warpseq
