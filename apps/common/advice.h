// How the programs' options spell what libraries advise.
#pragma once

#include <string_view>

#include "libcore/base/status.h"

namespace warpseq {

/// To stand behind a message: " (--device cpu)". Nothing for none.
std::string_view advice_text(Advice advice);

}  // namespace warpseq
