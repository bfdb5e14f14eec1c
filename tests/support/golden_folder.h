// Finds the folder tests/golden of the source tree. ctest names it in the environment variable
// WARPSEQ_GOLDEN. It is not a macro, because a compiler cache would then compile the test again in
// every clone.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace warpseq::testing {

/// Returns the folder. Throws, which fails the test, if WARPSEQ_GOLDEN does not name a folder.
inline std::filesystem::path golden_folder() {
    const char* const folder = std::getenv("WARPSEQ_GOLDEN");
    if (folder == nullptr || !std::filesystem::is_directory(folder))
        throw std::runtime_error("WARPSEQ_GOLDEN has to name the source tree's folder tests/golden, as ctest does");
    return folder;
}

}  // namespace warpseq::testing
