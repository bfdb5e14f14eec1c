// Which devices a search computes on: what somebody asks for against what this build and this
// machine have.
#pragma once

#include <string>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq {

struct DeviceRequest {
    enum class Kind { kAuto, kCpu, kCuda } kind = Kind::kAuto;
    std::vector<int> ordinals = {};  // of GPUs; empty: all
    bool cpu_helps = false;          // with kCuda: the host's threads, too, where they have nothing else to do
};

/// Processes of one machine that work for the same search: each takes its part of the GPUs, or one
/// with others where there are fewer GPUs than processes.
struct Sharers {
    unsigned number = 0, count = 1;  // number < count
};

struct DeviceChoice {
    std::vector<int> gpus;           // empty: the CPU
    unsigned processes_per_gpu = 1;  // that share each of them, this one among them
    bool cpu_helps = false;          // the GPUs
    std::string note;  // why kAuto came to the CPU although this build and this machine know GPUs; empty otherwise
};

/// The part of these GPUs, one at least, that one of the processes takes.
DeviceChoice share_of_gpus(const std::vector<int>& gpus, const Sharers& sharers);

/// kUnavailable when GPUs are asked for by name and are not there.
Result<DeviceChoice> choose_devices(const DeviceRequest& request, const Sharers& sharers = {});

/// Lets the driver open the GPUs, side by side, which takes a quarter of a second, so that it is
/// done before it is waited for. An error is for who uses them to find.
void open_devices(const DeviceChoice& choice);

}  // namespace warpseq
