// The choice of the devices that a search computes on: what the user asks for, and what this build
// and this machine have.
#pragma once

#include <string>
#include <vector>

#include "kernels/gpu/device.h"
#include "libcore/base/status.h"

namespace warpseq {

struct DeviceRequest {
    enum class Kind { kAuto, kCpu, kCuda } kind = Kind::kAuto;
    std::vector<int> ordinals = {};  // of GPUs; empty: all
    bool cpu_helps = false;          // with kCuda: threads of the host compute, too, if they have nothing else to do
};

/// A process's place among the processes of one machine that work for the same search. Each takes
/// its part of the GPUs. If there are fewer GPUs than processes, several processes share a GPU.
struct Sharers {
    unsigned number = 0, count = 1;  // number < count
};

struct DeviceChoice {
    std::vector<int> gpus;           // empty: the CPU
    unsigned processes_per_gpu = 1;  // processes that share each GPU, with this one
    bool cpu_helps = false;          // the host helps the GPUs
    std::string note;  // why kAuto chose the CPU although this build and this machine know GPUs; empty otherwise
};

/// Returns the part of these GPUs, at least one, that one of the processes takes.
DeviceChoice share_of_gpus(const std::vector<int>& gpus, const Sharers& sharers);

/// Chooses the devices. Returns kUnavailable if GPUs are asked for by name and are not there.
Result<DeviceChoice> choose_devices(const DeviceRequest& request, const Sharers& sharers = {});

/// Lets the driver open the GPUs, side by side. That takes a quarter of a second, so it is done
/// before it is waited for. Threads then wait for these GPUs as `wait` says. Errors are ignored:
/// the first use of a GPU finds them.
void open_devices(const DeviceChoice& choice, cuda::GpuWait wait);

}  // namespace warpseq
