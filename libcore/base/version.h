// Which warpseq this is.
#pragma once

#include <string_view>

namespace warpseq {

/// The version of the library and of all programs, "0.1.0".
std::string_view program_version();

}  // namespace warpseq
