#include "apps/inspect/text_output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace warpseq {

std::size_t terminal_columns() {
    winsize window{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return 80;
    return std::max<std::size_t>(window.ws_col, 40);
}

}  // namespace warpseq
