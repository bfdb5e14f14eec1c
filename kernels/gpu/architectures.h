// A test of whether this build has code for a GPU, decided from CMAKE_CUDA_ARCHITECTURES. This is
// plain C++, so that it is tested without a GPU.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

namespace warpseq::cuda {

/// Whether kernels built for `architectures` run on a GPU of this compute capability (90 for 9.0).
/// `architectures` lists what CMake names, with commas between ("80-real,90a-real,90-virtual").
/// A "-real" entry runs on GPUs of the same major version whose minor version is not lower. A
/// "-virtual" entry, and one without a suffix, also runs on all later GPUs. An entry of either kind
/// with an `a` behind its number runs on exactly its own version. Entries that are no numbers
/// ("native", "all") count as matching.
inline bool has_code_for(std::string_view architectures, int capability) {
    while (!architectures.empty()) {
        const std::string entry(architectures.substr(0, architectures.find(',')));
        architectures.remove_prefix(std::min(architectures.size(), entry.size() + 1));
        char* rest = nullptr;
        const int built_for = static_cast<int>(std::strtol(entry.c_str(), &rest, 10));
        if (rest == entry.c_str()) return true;
        const bool one_only = *rest == 'a', later_too = !entry.ends_with("-real");
        if (capability == built_for) return true;
        if (one_only || capability < built_for) continue;
        if (later_too || capability / 10 == built_for / 10) return true;
    }
    return false;
}

}  // namespace warpseq::cuda
