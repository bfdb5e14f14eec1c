#include "libcore/base/append_printf.h"

#include <cstdarg>
#include <cstdio>
#include <new>

namespace warpseq {

void append_printf(std::string& out, const char* format, ...) {
    std::va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = std::vsnprintf(nullptr, 0, format, arguments);
    va_end(arguments);
    bool printed = length >= 0;
    if (length > 0) {
        const std::size_t before = out.size();
        // vsnprintf ends its text with a zero byte. The string has a place of its own for it.
        out.resize(before + static_cast<std::size_t>(length));
        printed = std::vsnprintf(out.data() + before, static_cast<std::size_t>(length) + 1, format, again) == length;
    }
    va_end(again);
    if (!printed) throw std::bad_alloc();  // many digits take memory
}

}  // namespace warpseq
