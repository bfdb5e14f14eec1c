// Helpers of the programs that time GPU kernels: ending on an error, and the median of runs.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq::bench {

/// Prints the error and ends the program.
inline void must(const Status& status) {
    if (status.ok()) return;
    std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, status.message().c_str());
    std::exit(status.exit_status());
}

/// Returns the value. If there is an error, prints it and ends the program.
template <typename T>
T must(Result<T> result) {
    must(result.status());
    return *std::move(result);
}

/// Returns the median, or the upper one of two.
inline float median(std::vector<float> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

}  // namespace warpseq::bench
