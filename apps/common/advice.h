// The libraries' advice, spelled with the programs' options.
#pragma once

#include <string_view>

#include "libcore/base/status.h"

namespace warpseq {

/// Returns a text to append to a message, such as " (--device cpu)". It is empty if there is no
/// advice.
std::string_view advice_text(Advice advice);

}  // namespace warpseq
