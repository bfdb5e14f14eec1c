// The folder tests/golden of the source tree, which ctest names in the environment variable
// WARPSEQ_GOLDEN. It is no macro, because a compiler cache would then compile the test anew in
// every clone.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace warpseq::testing {

/// Throws, which fails the test, where WARPSEQ_GOLDEN does not name a folder.
inline std::filesystem::path golden_folder() {
    const char* const folder = std::getenv("WARPSEQ_GOLDEN");
    if (folder == nullptr || !std::filesystem::is_directory(folder))
        throw std::runtime_error("WARPSEQ_GOLDEN has to name the source tree's folder tests/golden, as ctest does");
    return folder;
}

}  // namespace warpseq::testing
