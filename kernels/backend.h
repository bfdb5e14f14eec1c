// The host back ends that every algorithm has, and which of them this processor runs.
#pragma once

#include <string_view>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq {

/// Slowest first. kReference is an algorithm's contract in plain scalar code. The others are one
/// vector algorithm on whatever the processor has; kPortable is the same in plain C++.
enum class CpuBackend { kReference, kPortable, kSse41, kAvx2, kAvx512 };

/// "reference", "portable", "sse41", "avx2", "avx512".
std::string_view cpu_backend_name(CpuBackend backend);
/// The back end of a name, or the best this processor runs for "auto". Unknown, or not runnable
/// here: an error that lists what is.
Result<CpuBackend> cpu_backend_from_name(std::string_view name);
/// Whether this processor (and build) can run it.
bool is_runnable(CpuBackend backend);
/// The back ends this processor can run, slowest first; kReference and kPortable always.
std::vector<CpuBackend> runnable_cpu_backends();

}  // namespace warpseq
