// What the programs that time GPU kernels share: ending on an error, and the median of runs.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq::bench {

/// Prints what went wrong and ends the program.
inline void must(const Status& status) {
    if (status.ok()) return;
    std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, status.message().c_str());
    std::exit(status.exit_status());
}

template <typename T>
T must(Result<T> result) {
    must(result.status());
    return *std::move(result);
}

inline float median(std::vector<float> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

}  // namespace warpseq::bench
