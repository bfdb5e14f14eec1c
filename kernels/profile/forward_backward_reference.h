// Forward, Backward and the results computed from them, in plain scalar code. It follows the
// contract of kernels/profile/forward_backward.h step by step and is never optimised. Tests compare
// every other back end with it, bit for bit.
#pragma once

#include <memory>

#include "kernels/profile/forward_backward.h"

namespace warpseq {

std::unique_ptr<ForwardBackward> make_reference_forward_backward(const ForwardProfile& profile);

}  // namespace warpseq
