// Control over running work of an engine: an observer, and a token by which the caller stops the
// work.
#pragma once

#include <stop_token>

#include "libcore/base/observer.h"

namespace warpseq {

struct SearchControl {
    Observer& observer;         // has to outlive the work
    std::stop_token stop = {};  // once it is requested the work ends soon, with Status::interrupted()
};

}  // namespace warpseq
