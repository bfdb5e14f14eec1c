// The CPU back ends that every algorithm has, and the functions that tell which of them this
// processor can run.
#pragma once

#include <string_view>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq {

/// The CPU back ends, slowest first. kReference is an algorithm's contract in plain scalar code.
/// The others are one vector algorithm on different instruction sets; kPortable is the same in
/// plain C++.
enum class CpuBackend { kReference, kPortable, kSse41, kAvx2, kAvx512 };

/// Returns "reference", "portable", "sse41", "avx2" or "avx512".
std::string_view cpu_backend_name(CpuBackend backend);
/// Returns the back end with this name. For "auto" it returns the best one that this processor can
/// run. Fails if the name is unknown or the back end cannot run here; the error lists the names
/// that can.
Result<CpuBackend> cpu_backend_from_name(std::string_view name);
/// Whether this processor and this build can run the back end.
bool is_runnable(CpuBackend backend);
/// Returns the back ends that this processor can run, slowest first. kReference and kPortable are
/// always among them.
std::vector<CpuBackend> runnable_cpu_backends();

}  // namespace warpseq
