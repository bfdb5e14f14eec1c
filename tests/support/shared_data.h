// Finds real data outside of the source tree that some tests read. The environment variable
// WARPSEQ_SHARED names its folder.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string_view>

namespace warpseq::testing {

/// Returns a file or folder of the shared data. If there is none, returns nothing and prints that
/// the test is skipped.
inline std::optional<std::filesystem::path> shared_data(std::string_view name) {
    const char* const folder = std::getenv("WARPSEQ_SHARED");
    if (folder != nullptr && *folder != '\0') {
        const std::filesystem::path path = std::filesystem::path(folder) / name;
        if (std::filesystem::exists(path)) return path;
    }
    std::cout << "skipped: " << name << " is not there (WARPSEQ_SHARED names the folder of the shared data)\n";
    return std::nullopt;
}

}  // namespace warpseq::testing
