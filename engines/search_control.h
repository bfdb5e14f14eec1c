// The caller's means of control while an engine works: an observer and a stop.
#pragma once

#include <stop_token>

#include "libcore/base/observer.h"

namespace warpseq {

struct SearchControl {
    Observer& observer;         // has to outlive the work
    std::stop_token stop = {};  // once it is requested the work ends soon, with Status::interrupted()
};

}  // namespace warpseq
