// The version of warpseq.
#pragma once

#include <string_view>

namespace warpseq {

/// Returns the version of the library and of all programs, such as "0.1.0".
std::string_view program_version();

}  // namespace warpseq
