// Text in C's printf formats, whose digits, widths and rounding other programs' outputs are defined
// by.
#pragma once

#include <string>

namespace warpseq {

/// Appends what printf would print. Throws std::bad_alloc.
[[gnu::format(printf, 2, 3)]] void append_printf(std::string& out, const char* format, ...);

}  // namespace warpseq
