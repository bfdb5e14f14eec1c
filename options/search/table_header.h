// The help of --header, which all engines that write tables have.
#pragma once

#include <string_view>

namespace warpseq {

inline constexpr std::string_view kTableHeaderHelp =
    "formats 6 and 10 begin with a row of the columns' names; fields that have the separator are quoted";

}  // namespace warpseq
