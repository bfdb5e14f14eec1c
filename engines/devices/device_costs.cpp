#include "engines/devices/device_costs.h"

#include <algorithm>

namespace warpseq {

namespace {

constexpr double kCpuStartSeconds = 0.01, kGpuStartSeconds = 0.34;
/// Time to copy a residue's bytes over the link and through the page cache: 0.7 bytes a residue.
constexpr double kCopySecondsPerResidue = 0.12e-9;
constexpr std::uint64_t kUnknownQueryResidues = 4000;

/// Returns a back end's speed as a share of AVX-512's.
double share_of(CpuBackend backend) {
    switch (backend) {
        case CpuBackend::kAvx512: return 1;
        case CpuBackend::kAvx2: return 0.55;
        case CpuBackend::kSse41: return 0.25;
        default: return 0.08;
    }
}

double cells_of(const SearchSize& size) {
    const std::uint64_t query = size.query_residues == 0 ? kUnknownQueryResidues : size.query_residues;
    return static_cast<double>(query) * static_cast<double>(size.target_residues);
}

}  // namespace

CellSpeeds cell_speeds(const SearchSpeed& speed, unsigned threads, CpuBackend backend, std::size_t gpus) {
    return {speed.cpu_cells_per_second * share_of(backend) * std::max(threads, 1U),
            speed.gpu_cells_per_second * static_cast<double>(std::max<std::size_t>(gpus, 1))};
}

double cpu_seconds(const SearchSpeed& speed, const SearchSize& size, unsigned threads, CpuBackend backend) {
    return kCpuStartSeconds + cells_of(size) / cell_speeds(speed, threads, backend, 1).cpu_cells_per_second;
}

double gpu_seconds(const SearchSpeed& speed, const SearchSize& size, std::size_t gpus) {
    const double each = 1 / static_cast<double>(std::max<std::size_t>(gpus, 1));
    const double copy = static_cast<double>(size.target_residues) * kCopySecondsPerResidue;
    return kGpuStartSeconds + each * (copy + cells_of(size) / speed.gpu_cells_per_second);
}

}  // namespace warpseq
