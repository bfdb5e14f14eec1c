// What a search costs on the CPU and on GPUs, about: what --device auto decides by. The figures
// come from whole programs (docs/performance.md has the measured times, and
// tests/engines/devices/device_costs_test.cpp holds the choice against them).
#pragma once

#include <cstdint>

#include "kernels/backend.h"

namespace warpseq {

/// How fast an engine compares, in cells: residues of queries, as their file has bytes, or nodes of
/// profiles, times residues of targets. What both do alike, as alignments and reports, is in
/// neither.
struct SearchSpeed {
    double cpu_cells_per_second;  // of one thread with AVX-512
    double gpu_cells_per_second;  // of one H200
};
inline constexpr SearchSpeed kSwSpeed{23e9, 7e12};
inline constexpr SearchSpeed kHmmSpeed{55e9, 12e12};
/// Without filters: every pair goes through Forward.
inline constexpr SearchSpeed kHmmMaxSpeed{1.4e9, 1e12};
inline constexpr SearchSpeed kBlastpSpeed{75e9, 14e12};

/// Of this machine's threads and GPUs, each together.
struct CellSpeeds {
    double cpu_cells_per_second, gpus_cells_per_second;
};
CellSpeeds cell_speeds(const SearchSpeed& speed, unsigned threads, CpuBackend backend, std::size_t gpus);

struct SearchSize {
    std::uint64_t query_residues = 0;  // 0: not known, taken for ten queries of usual length
    std::uint64_t target_residues = 0;
};

/// Seconds of a search by so many threads.
double cpu_seconds(const SearchSpeed& speed, const SearchSize& size, unsigned threads, CpuBackend backend);
/// Seconds of a search by so many GPUs, with the driver's start and the copy of the targets.
double gpu_seconds(const SearchSpeed& speed, const SearchSize& size, std::size_t gpus);

}  // namespace warpseq
