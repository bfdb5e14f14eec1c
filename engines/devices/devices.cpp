#include "engines/devices/devices.h"

#include <algorithm>
#include <charconv>

#if WARPSEQ_HAVE_CUDA
#include "kernels/gpu/device.h"
#endif

namespace warpseq {

Result<DeviceRequest> parse_device(std::string_view text) {
    if (text == "auto") return DeviceRequest{};
    if (text == "cpu") return DeviceRequest{DeviceRequest::Kind::kCpu, {}};
    if (text == "cuda") return DeviceRequest{DeviceRequest::Kind::kCuda, {}};
    constexpr std::string_view kPrefix = "cuda:";
    const auto wrong = [&] {
        return Status::usage(
            "--device " + std::string(text) +
            ": expected auto, cpu, cuda, or cuda: with GPU numbers separated by commas, as in cuda:0,1");
    };
    if (!text.starts_with(kPrefix)) return wrong();
    DeviceRequest request{DeviceRequest::Kind::kCuda, {}};
    const char* at = text.data() + kPrefix.size();
    const char* const end = text.data() + text.size();
    for (;;) {
        int ordinal = 0;
        const auto [rest, error] = std::from_chars(at, end, ordinal);
        if (error != std::errc() || ordinal < 0) return wrong();
        if (std::ranges::find(request.ordinals, ordinal) == request.ordinals.end()) request.ordinals.push_back(ordinal);
        if (rest == end) return request;
        if (*rest != ',') return wrong();
        at = rest + 1;
    }
}

#if WARPSEQ_HAVE_CUDA

Result<DeviceChoice> choose_devices(const DeviceRequest& request) {
    DeviceChoice choice;
    if (request.kind == DeviceRequest::Kind::kCpu) return choice;
    const auto gpus = cuda::list_gpus();
    if (!gpus.ok()) {
        if (request.kind == DeviceRequest::Kind::kCuda) return gpus.status();
        if (cuda::has_driver()) choice.note = gpus.status().message() + "; computing on the CPU";
        return choice;
    }
    for (const cuda::GpuInfo& gpu : *gpus) {
        const bool wanted =
            request.ordinals.empty() || std::ranges::find(request.ordinals, gpu.ordinal) != request.ordinals.end();
        if (wanted) choice.gpus.push_back(gpu.ordinal);
    }
    for (const int ordinal : request.ordinals) {
        if (std::ranges::find(choice.gpus, ordinal) == choice.gpus.end()) {
            return Status::unavailable("--device cuda:" + std::to_string(ordinal) +
                                       ": there is no such usable GPU; this machine has " +
                                       std::to_string(gpus->size()) + " (numbers from 0)");
        }
    }
    return choice;
}

#else

Result<DeviceChoice> choose_devices(const DeviceRequest& request) {
    if (request.kind == DeviceRequest::Kind::kCuda) {
        return Status::unavailable(
            "--device cuda: this program was built without kernels for GPUs; use --device cpu or auto, or build it "
            "where a GPU is, or with WARPSEQ_CUDA=TOOLKIT");
    }
    return DeviceChoice{};
}

#endif

}  // namespace warpseq
