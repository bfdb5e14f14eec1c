// Appends text that C's printf formats. The outputs of other programs are defined by printf's
// digits, widths and rounding.
#pragma once

#include <string>

namespace warpseq {

/// Appends to `out` the text that printf would print. Throws std::bad_alloc.
[[gnu::format(printf, 2, 3)]] void append_printf(std::string& out, const char* format, ...);

}  // namespace warpseq
