// Forward, Backward and optimal accuracy for any processor.
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "kernels/cpu/forward_backward.h"
#include "kernels/cpu/simd_portable.h"

#include "kernels/cpu/forward_backward_kernels.h"

namespace warpseq {
namespace {
using F = simd::Portable::F32;
constinit const GroupKernels kOneVector = simd::ForwardBackwardKernels<F, 1>::kernels();
constinit const GroupKernels* const kGroups[] = {&kOneVector};
}  // namespace

constinit const ForwardBackwardTable kPortableForwardBackward = {kGroups, std::size(kGroups), simd::mixture_odds<F>};

}  // namespace warpseq
