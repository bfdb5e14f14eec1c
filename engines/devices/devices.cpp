#include "engines/devices/devices.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#if WARPSEQ_HAVE_CUDA
#include "libcore/base/thread_pool.h"
#endif

namespace warpseq {

DeviceChoice share_of_gpus(const std::vector<int>& gpus, const Sharers& sharers) {
    DeviceChoice choice;
    const std::size_t first = sharers.number % gpus.size();
    for (std::size_t g = first; g < gpus.size(); g += sharers.count) choice.gpus.push_back(gpus[g]);
    // Each process has one GPU where there are fewer GPUs than processes. It shares that GPU with
    // the processes whose numbers differ from its own by multiples of the number of GPUs.
    if (sharers.count > gpus.size())
        choice.processes_per_gpu = static_cast<unsigned>((sharers.count - first + gpus.size() - 1) / gpus.size());
    return choice;
}

#if WARPSEQ_HAVE_CUDA

Result<DeviceChoice> choose_devices(const DeviceRequest& request, const Sharers& sharers) {
    DeviceChoice choice;
    if (request.kind == DeviceRequest::Kind::kCpu) return choice;
    const auto gpus = cuda::list_gpus();
    if (!gpus.ok()) {
        if (request.kind == DeviceRequest::Kind::kCuda) return gpus.status();
        if (cuda::has_driver()) choice.note = gpus.status().message() + "; computing on the CPU";
        return choice;
    }
    std::vector<int> wanted;
    for (const cuda::GpuInfo& gpu : *gpus) {
        if (request.ordinals.empty() || std::ranges::find(request.ordinals, gpu.ordinal) != request.ordinals.end())
            wanted.push_back(gpu.ordinal);
    }
    for (const int ordinal : request.ordinals) {
        if (std::ranges::find(wanted, ordinal) == wanted.end()) {
            return Status::unavailable("there is no usable GPU " + std::to_string(ordinal) + "; this machine has " +
                                       std::to_string(gpus->size()) + " (numbers from 0)");
        }
    }
    choice = share_of_gpus(wanted, sharers);
    choice.cpu_helps = request.cpu_helps;
    return choice;
}

void open_devices(const DeviceChoice& choice, cuda::GpuWait wait) {
    ThreadPool openers(static_cast<unsigned>(std::max<std::size_t>(choice.gpus.size(), 1)));
    static_cast<void>(openers.parallel_for(choice.gpus.size(), [&](std::uint64_t g, unsigned) {
        static_cast<void>(cuda::open_gpu(choice.gpus[g], wait));  // the first use of the GPU fails as well
        return Status();
    }));
}

#else

void open_devices(const DeviceChoice&, cuda::GpuWait) {}

Result<DeviceChoice> choose_devices(const DeviceRequest& request, const Sharers&) {
    if (request.kind == DeviceRequest::Kind::kCuda) {
        return Status::unavailable(
                   "this program was built without kernels for GPUs; build it on a machine with a GPU, or with "
                   "WARPSEQ_CUDA=TOOLKIT, or "
                   "compute on the CPU")
            .with(Advice::kCpu);
    }
    return DeviceChoice{};
}

#endif

}  // namespace warpseq
