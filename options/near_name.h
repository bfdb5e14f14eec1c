// The known name that a person may have meant by an unknown one.
#pragma once

#include <span>
#include <string_view>

namespace warpseq {

/// The nearest of `known`, the first of several: at most two edits away (letters put in, left out
/// or replaced), and no more than half of the letters of `name`. Empty: none is near. Empty names
/// are not known.
std::string_view near_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace warpseq
