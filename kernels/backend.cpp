// The name of each CPU back end, and the processor features that it needs.
#include "kernels/backend.h"

#include <algorithm>
#include <array>
#include <string>

#include "kernels/simd/target.h"

namespace warpseq {
namespace {

bool always() { return true; }
#if WARPSEQ_X86
bool has_sse41() { return __builtin_cpu_supports("sse4.1"); }
bool has_avx2() { return __builtin_cpu_supports("avx2"); }
bool has_avx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi");
}
#else
bool has_sse41() { return false; }
bool has_avx2() { return false; }
bool has_avx512() { return false; }
#endif

struct BackendEntry {
    CpuBackend backend;
    std::string_view name;
    bool (*runnable)();
};

// The back ends, slowest first.
constexpr std::array kBackends = {
    BackendEntry{CpuBackend::kReference, "reference", always}, BackendEntry{CpuBackend::kPortable, "portable", always},
    BackendEntry{CpuBackend::kSse41, "sse41", has_sse41},      BackendEntry{CpuBackend::kAvx2, "avx2", has_avx2},
    BackendEntry{CpuBackend::kAvx512, "avx512", has_avx512},
};

const BackendEntry& entry_of(CpuBackend backend) {
    return *std::find_if(kBackends.begin(), kBackends.end(),
                         [backend](const BackendEntry& entry) { return entry.backend == backend; });
}

std::string runnable_names() {
    std::string names = "auto";
    for (const CpuBackend backend : runnable_cpu_backends()) {
        names += ", ";
        names += cpu_backend_name(backend);
    }
    return names;
}

}  // namespace

std::string_view cpu_backend_name(CpuBackend backend) { return entry_of(backend).name; }

bool is_runnable(CpuBackend backend) { return entry_of(backend).runnable(); }

std::vector<CpuBackend> runnable_cpu_backends() {
    std::vector<CpuBackend> runnable;
    for (const BackendEntry& entry : kBackends) {
        if (entry.runnable()) runnable.push_back(entry.backend);
    }
    return runnable;
}

Result<CpuBackend> cpu_backend_from_name(std::string_view name) {
    if (name == "auto") return runnable_cpu_backends().back();
    for (const BackendEntry& entry : kBackends) {
        if (entry.name != name) continue;
        if (entry.runnable()) return entry.backend;
        return Status::unavailable(
            "the CPU back end '" + std::string(name) +
            "' needs instructions that this processor or this build does not have; it runs: " + runnable_names());
    }
    return Status::usage("there is no CPU back end '" + std::string(name) +
                         "'; this processor runs: " + runnable_names());
}

}  // namespace warpseq
