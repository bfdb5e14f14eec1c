// What a caller keeps in hand while an engine works for it.
#pragma once

#include <stop_token>

#include "libcore/base/observer.h"

namespace warpseq {

struct SearchControl {
    Observer& observer;         // outlives the work
    std::stop_token stop = {};  // once it is requested the work ends with Status::interrupted(), soon
};

}  // namespace warpseq
