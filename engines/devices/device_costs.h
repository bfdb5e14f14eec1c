// Estimates of what a search costs on the CPU and on GPUs; --device auto decides by them. The
// figures come from whole programs. docs/performance.md has the measured times, and
// tests/engines/devices/device_costs_test.cpp compares the choice with them.
#pragma once

#include <cstdint>

#include "kernels/backend.h"

namespace warpseq {

/// Speed of an engine in cells. The cells of a search are the residues of its queries (the bytes of
/// their file), or the nodes of its profiles, times the residues of the targets. Work that takes
/// both devices the same time, such as alignments and reports, is in neither speed.
struct SearchSpeed {
    double cpu_cells_per_second;  // of one thread with AVX-512
    double gpu_cells_per_second;  // of one H200
};
inline constexpr SearchSpeed kSwSpeed{23e9, 7e12};
inline constexpr SearchSpeed kHmmSpeed{55e9, 12e12};
/// Speed without filters, where every pair goes through Forward.
inline constexpr SearchSpeed kHmmMaxSpeed{1.4e9, 1e12};
inline constexpr SearchSpeed kBlastpSpeed{75e9, 14e12};

/// Speeds of all threads of this machine together, and of all its GPUs together.
struct CellSpeeds {
    double cpu_cells_per_second, gpus_cells_per_second;
};
CellSpeeds cell_speeds(const SearchSpeed& speed, unsigned threads, CpuBackend backend, std::size_t gpus);

struct SearchSize {
    std::uint64_t query_residues = 0;  // 0: not known, taken for ten queries of usual length
    std::uint64_t target_residues = 0;
};

/// Returns the seconds of a search by `threads` threads.
double cpu_seconds(const SearchSpeed& speed, const SearchSize& size, unsigned threads, CpuBackend backend);
/// Returns the seconds of a search by `gpus` GPUs, with the driver's start and the copy of the
/// targets.
double gpu_seconds(const SearchSpeed& speed, const SearchSize& size, std::size_t gpus);

}  // namespace warpseq
