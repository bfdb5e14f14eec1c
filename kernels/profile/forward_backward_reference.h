// Forward, Backward and what is computed from them, in plain scalar code:
// kernels/profile/forward_backward.h word for word, never optimised. Tests compare every other back
// end with it, bit for bit.
#pragma once

#include <memory>

#include "kernels/profile/forward_backward.h"

namespace warpseq {

std::unique_ptr<ForwardBackward> make_reference_forward_backward(const ForwardProfile& profile);

}  // namespace warpseq
