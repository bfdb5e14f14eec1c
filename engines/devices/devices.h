// Which devices a search computes on: what --device asks for against what this build and this machine have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq {

/// --device as given.
struct DeviceRequest {
    enum class Kind { kAuto, kCpu, kCuda } kind = Kind::kAuto;
    std::vector<int> ordinals;  // of GPUs; empty: all
};

/// "auto", "cpu", "cuda", "cuda:0", "cuda:0,2"; anything else is a usage error.
Result<DeviceRequest> parse_device(std::string_view text);

struct DeviceChoice {
    std::vector<int> gpus;  // empty: the CPU
    std::string note;  // why "auto" came to the CPU although this build and this machine know GPUs; empty otherwise
};

/// kUnavailable when GPUs are asked for by name and are not there.
Result<DeviceChoice> choose_devices(const DeviceRequest& request);

}  // namespace warpseq
